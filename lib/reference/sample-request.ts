import { required } from "../runtime/required.ts";
import type { Endpoint, HttpMethod } from "./document.ts";

/** One request that the samples of all languages send. */
export type SampleRequest = {
  readonly operation: string;
  readonly method: HttpMethod;
  /** With the path parameters filled in and escaped. */
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The operation returns pages, so a sample reads all of them. */
  readonly isPaged: boolean;
  /** 204: there is no body to read. */
  readonly isEmpty: boolean;
};

/** The required parts of a request, with the values of the document's examples. */
export function sampleRequest({ operationId, method, path, parameters, ...rest }: Endpoint): SampleRequest {
  const valuesOf = (place: "path" | "query") =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place && parameter.required)
        .map(({ name, example }) => [name, String(example)]),
    );
  const pathParameters = valuesOf("path");
  const body = Object.values(rest.requestBody?.content["application/json"]?.examples ?? {})[0]?.value;
  return {
    operation: operationId,
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(required(pathParameters[name], `path parameter ${name}`)),
    ),
    pathParameters,
    query: valuesOf("query"),
    ...(body !== undefined && { body }),
    isPaged: parameters.some(({ name }) => name === "cursor"),
    isEmpty: "204" in rest.responses,
  };
}
