import type {
  ApiDocument,
  DocumentedOperation,
  DocumentedResponse,
  JsonSchema,
  MediaTypes,
} from "./document.ts";

/** Requests that a test has sent, and their responses; they are stored in `docs/examples`. */
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

type OperationExamples = {
  parameter(name: string): string | readonly string[] | undefined;
  body(): object;
  answer(contentType: string): object;
  error(code: string): { readonly value: unknown } | undefined;
};

/** The document as callers get it. Its file has no examples, so that each example is stored once. */
export function joinExamples(document: ApiDocument, examples: Examples): ApiDocument {
  const { paths, components } = document;
  return {
    ...document,
    paths: mapped(paths, (methods) =>
      mapped(methods, (operation) => illustrated(operation, examplesOf(examples, operation.operationId))),
    ),
    components: {
      ...components,
      headers: mapped(components.headers, (header, name) => ({
        ...header,
        ...exampleOf(header.schema, examples.headers[name]),
      })),
    },
  };
}

export const mapped = <Value, Made>(
  values: Readonly<Record<string, Value>>,
  make: (value: Value, name: string) => Made,
) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, make(value, name)]));

function illustrated(operation: DocumentedOperation, examples: OperationExamples): DocumentedOperation {
  const { parameters, requestBody, responses } = operation;
  const inAnswer = (content: MediaTypes) =>
    mapped(content, (media, type) => ({ ...media, ...examples.answer(type) }));
  const inError = (content: MediaTypes, codes: readonly string[]) =>
    mapped(content, (media) => ({ ...media, ...errorExamples(codes, examples) }));
  const inResponse = (response: DocumentedResponse): DocumentedResponse => {
    const { content, "x-error-codes": codes } = response;
    if (!content) return response;
    return { ...response, content: codes ? inError(content, codes) : inAnswer(content) };
  };
  return {
    ...operation,
    parameters: parameters.map((each) => ({
      ...each,
      ...exampleOf(each.schema, examples.parameter(each.name)),
    })),
    ...(requestBody && {
      requestBody: {
        ...requestBody,
        content: mapped(requestBody.content, (media) => ({ ...media, ...examples.body() })),
      },
    }),
    responses: mapped(responses, inResponse),
  };
}

/** In a request every value is text; an example has the type of its schema. */
function exampleOf({ type }: JsonSchema, sent: string | readonly string[] | undefined) {
  if (sent === undefined) return {};
  if (type === "array") return { example: [sent].flat() };
  return { example: type === "integer" ? Number(sent) : sent };
}

function errorExamples(codes: readonly string[], examples: OperationExamples): object {
  const recorded = codes.flatMap((code) => {
    const example = examples.error(code);
    return example ? [[code, example] as const] : [];
  });
  return recorded.length > 0 ? { examples: Object.fromEntries(recorded) } : {};
}

/**
 * The recorded examples of one operation. For a parameter that none of its requests has, another operation's value is
 * shown.
 */
function examplesOf(examples: Examples, id: string): OperationExamples {
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
