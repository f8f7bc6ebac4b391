import { required } from "../runtime/required.ts";

export type HttpMethod = "get" | "post" | "put" | "patch" | "delete";

/**
 * The part of the OpenAPI document that the pages show. The document is the service's own file: tests check that it is
 * generated from the contract, and that every field has a description and every parameter and error an example.
 */
export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly additionalProperties?: boolean | JsonSchema;
};

export type Example = { readonly summary?: string; readonly value: unknown };
export type MediaType = {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, Example>>;
};
export type MediaTypes = Readonly<Record<string, MediaType>>;

export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query";
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
};

export type DocumentedResponse = {
  readonly description: string;
  /** References to the header of the same name in the components. */
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: MediaTypes;
  readonly "x-error-codes"?: readonly string[];
};

export type DocumentedOperation = {
  readonly operationId: string;
  readonly tags: readonly [string, ...string[]];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: MediaTypes };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
};

export type ApiDocument = {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>;
  readonly paths: Readonly<Record<string, Partial<Readonly<Record<HttpMethod, DocumentedOperation>>>>>;
  readonly components: {
    readonly headers: Readonly<
      Record<
        string,
        { readonly description: string; readonly schema: JsonSchema; readonly example?: unknown }
      >
    >;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
};

/** An operation with its method and path, which are outside it in the document. */
export type Endpoint = DocumentedOperation & { readonly method: HttpMethod; readonly path: string };

export const endpointsOf = ({ paths }: ApiDocument): Endpoint[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    methodNames.flatMap((method) => {
      const operation = methods[method];
      return operation ? [{ ...operation, method, path }] : [];
    }),
  );

/** Headers are described once for all operations. */
export const describeHeader = ({ components }: ApiDocument, name: string): string =>
  required(components.headers[name], `header ${name} in the document's components`).description;

const methodNames: readonly HttpMethod[] = ["get", "post", "put", "patch", "delete"];
