import { holdsKey } from "../../lib/contract/key-forms.ts";
import { keyName } from "../../lib/contract/parameters.ts";
import { type Connection, defaultDataPath } from "../../lib/operator/connection.ts";
import { UsageError } from "../../lib/runtime/operator-error.ts";
import type { CommandInput, OptionDefinitions } from "../command.ts";
import { commandFor } from "../show-once.ts";
import { processTerminal } from "../terminal.ts";

export const connectionOptions: OptionDefinitions = {
  data: { value: "DIR", help: `the local service's data (default ${defaultDataPath})` },
  stack: { value: "NAME", help: "work on this deployed stack instead" },
  region: { value: "REGION", help: "the stack's AWS region (default: the environment's)" },
  operator: {
    value: "NAME",
    help: "who makes an operator's changes, for the audit log (default: your AWS identity on a stack, else operator)",
  },
};

/** Opens what --data or --stack names, runs the work on it and always closes it. */
export async function withConnection<Result>(
  input: CommandInput,
  work: (connection: Connection) => Promise<Result>,
  { create = false }: { readonly create?: boolean } = {},
): Promise<Result> {
  const given = operatorName(input);
  const connection = await open(input, create);
  const { audited } = connection;
  try {
    const name = given ?? (await connection.identityName?.()) ?? audited.actor.name;
    const named = { audited: { ...audited, actor: { ...audited.actor, name } } };
    return await work({ ...connection, ...named });
  } finally {
    await connection.close();
  }
}

function operatorName(input: CommandInput): string | undefined {
  const given = input.text("operator");
  if (given === undefined) return undefined;
  if (holdsKey(given)) throw new UsageError("--operator takes a name, not a key.");
  const { data: name, error } = keyName.safeParse(given);
  if (name === undefined)
    throw new UsageError(
      `--operator takes a name: it ${error?.issues.map(({ message }) => message).join(" and ")}.`,
    );
  return name;
}

async function open(input: CommandInput, create: boolean): Promise<Connection> {
  const stack = input.text("stack");
  const data = input.text("data");
  if (stack !== undefined) {
    if (data !== undefined) throw new UsageError("--data and --stack cannot be used together.");
    return (await import("../../lib/operator/stack.ts")).connectToStack(stack, input.text("region"));
  }
  if (input.text("region") !== undefined) throw new UsageError("--region works only with --stack.");
  const { connectLocally } = await import("../../lib/operator/local.ts");
  const options = { create, toStart: commandFor(input, "dev"), onWait: processTerminal().say };
  return connectLocally(data ?? defaultDataPath, options);
}
