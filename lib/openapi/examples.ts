/** Requests that a test has sent, and their responses; they are stored in `docs/examples.json`. */
export type RecordedExchange = {
  readonly title: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  readonly answer: { readonly status: number; readonly contentType?: string; readonly body?: unknown };
};

export type Examples = {
  /** One value of every response header. */
  readonly headers: Readonly<Record<string, string>>;
  readonly operations: Readonly<
    Record<
      string,
      {
        readonly exchanges: readonly RecordedExchange[];
        /** The body of every error that the operation can return, by its code. */
        readonly errors: Readonly<Record<string, unknown>>;
      }
    >
  >;
};

export const noExamples: Examples = { headers: {}, operations: {} };

export type OperationExamples = {
  parameter(name: string): string | readonly string[] | undefined;
  body(): object;
  answer(contentType: string): object;
  error(code: string): { readonly value: unknown } | undefined;
};

/**
 * The recorded examples of one operation. For a parameter that none of its requests has, another operation's value is
 * shown.
 */
export function examplesOf(examples: Examples, id: string): OperationExamples {
  const own = examples.operations[id];
  const exchanges = own?.exchanges ?? [];
  const everywhere = Object.values(examples.operations).flatMap((each) => each.exchanges);
  const parameters = [...exchanges, ...everywhere].map(({ path, query }) => ({ ...path, ...query }));
  return {
    parameter: (name) => parameters.find((each) => Object.hasOwn(each, name))?.[name],
    body: () =>
      named(exchanges.filter(({ body }) => body !== undefined).map(({ title, body }) => [title, body])),
    answer: (contentType) =>
      named(
        exchanges
          .filter(({ answer }) => answer.contentType === contentType)
          .map(({ title, answer }) => [title, answer.body]),
      ),
    error: (code) => (own && Object.hasOwn(own.errors, code) ? { value: own.errors[code] } : undefined),
  };
}

/** Media types have several named examples; without examples the field is left out. */
function named(values: ReadonlyArray<readonly [title: string, value: unknown]>): object {
  if (values.length === 0) return {};
  return {
    examples: Object.fromEntries(
      values.map(([title, value]) => [
        title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"),
        { summary: title, value },
      ]),
    ),
  };
}
