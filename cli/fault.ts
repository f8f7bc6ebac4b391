/** Something a person can act on: the tool prints the sentence and ends with 1, never with a stack trace. */
export class OperatorFault extends Error {
  override readonly name: string = "OperatorFault";
}

/** The command itself was wrong: the sentence, a pointer to --help, and exit code 2. */
export class UsageFault extends OperatorFault {
  override readonly name = "UsageFault";
}

/** The system's own word for what went wrong (`EACCES`, `ECONNREFUSED`), if it has one. */
export function systemCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : undefined;
}
