export type HttpMethod = "get" | "post" | "put" | "patch" | "delete";

/**
 * The part of the OpenAPI document that the pages show. The document is the service's own file: a test checks that it
 * is generated from the contract.
 */
export type Schema = {
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
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
};

export type Example = { readonly summary?: string; readonly value: unknown };
export type Content = { readonly schema: Schema; readonly examples?: Readonly<Record<string, Example>> };
export type Contents = Readonly<Record<string, Content>>;

export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query";
  readonly description: string;
  readonly required: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
};

export type Header = { readonly $ref?: string; readonly description?: string; readonly schema?: Schema };

export type Response = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Contents;
  readonly "x-error-codes"?: readonly string[];
};

export type Operation = {
  readonly operationId: string;
  readonly tags: readonly [string, ...string[]];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Contents };
  readonly responses: Readonly<Record<string, Response>>;
};

export type ApiDocument = {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>;
  readonly paths: Readonly<Record<string, Partial<Readonly<Record<HttpMethod, Operation>>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, Header>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
};

/** An operation with its method and path, which are outside it in the document. */
export type Endpoint = Operation & { readonly method: HttpMethod; readonly path: string };

export const endpointsOf = ({ paths }: ApiDocument): Endpoint[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    methodNames.flatMap((method) => {
      const operation = methods[method];
      return operation ? [{ ...operation, method, path }] : [];
    }),
  );

/** Most headers are described once for all operations. */
export const headerWords = ({ components }: ApiDocument, name: string, header: Header): string =>
  (header.$ref ? (components.headers[name] ?? header) : header).description ?? "";

const methodNames: readonly HttpMethod[] = ["get", "post", "put", "patch", "delete"];
