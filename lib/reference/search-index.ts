import { type ApiDocument, describeHeader, type Endpoint } from "./document.ts";
import { operationPath } from "./layout.ts";
import { sectionsOf } from "./markdown.ts";
import { allFields, boundsOf, fieldAnchor, headerAnchor, schemaFieldsOf } from "./schema-view.ts";

/** One search result. Short names: there are a thousand of them in one file. */
export type SearchEntry = {
  /** Below the service's own address. */
  readonly to: string;
  readonly title: string;
  /** What it belongs to, such as "Field of GET /v1/users". */
  readonly kind: string;
  readonly text: string;
};

export const searchIndex = (
  document: ApiDocument,
  endpoints: readonly Endpoint[],
  pages: ReadonlyArray<readonly [path: string, kind: string, markdown: string]>,
): readonly SearchEntry[] => [
  ...endpoints.map(operationEntry),
  ...pages.flatMap(([path, kind, markdown]) =>
    sectionsOf(markdown).map(
      ({ title, anchor, text }): SearchEntry => ({
        to: anchor ? `${path}#${anchor}` : path,
        title,
        kind,
        text,
      }),
    ),
  ),
  ...endpoints.flatMap(fieldEntries),
  ...headerEntries(document, endpoints),
];

const nameOf = ({ method, path }: Endpoint): string => `${method.toUpperCase()} ${path}`;
const withoutMarks = (text: string): string =>
  text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");

const operationEntry = (endpoint: Endpoint): SearchEntry => ({
  to: operationPath(endpoint.operationId),
  title: endpoint.summary,
  kind: nameOf(endpoint),
  text: withoutMarks(`${endpoint.operationId} ${endpoint.description}`),
});

function fieldEntries(endpoint: Endpoint): SearchEntry[] {
  const to = (place: string, path: string) =>
    `${operationPath(endpoint.operationId)}#${fieldAnchor(place, path)}`;
  const body = endpoint.requestBody?.content["application/json"]?.schema;
  const answers = Object.entries(endpoint.responses)
    .filter(([status]) => status < "400")
    .flatMap(([, { content }]) => content?.["application/json"]?.schema ?? []);
  const fields = (place: string, kind: string, schemas: typeof answers) =>
    schemas
      .flatMap((schema) => allFields(schemaFieldsOf(schema)))
      .map(
        ({ path, schema }): SearchEntry => ({
          to: to(place, path),
          title: path,
          kind: `${kind} of ${nameOf(endpoint)}`,
          text: withoutMarks([schema.description, ...boundsOf(schema)].join(" ")),
        }),
      );
  return [
    ...endpoint.parameters.map(
      ({ name, description, schema }): SearchEntry => ({
        to: to("parameter", name),
        title: name,
        kind: `Parameter of ${nameOf(endpoint)}`,
        text: withoutMarks([description, ...boundsOf(schema)].join(" ")),
      }),
    ),
    ...fields("body", "Body", body ? [body] : []),
    ...fields("answer", "Response", answers),
  ];
}

/** Each header once, at the first operation that returns it: most operations return most of them. */
function headerEntries(document: ApiDocument, endpoints: readonly Endpoint[]): SearchEntry[] {
  const found = new Map<string, SearchEntry>();
  for (const endpoint of endpoints)
    for (const [status, { headers }] of Object.entries(endpoint.responses).filter(([code]) => code < "400"))
      for (const name of Object.keys(headers))
        if (!found.has(name))
          found.set(name, {
            to: `${operationPath(endpoint.operationId)}#${headerAnchor(status, name)}`,
            title: name,
            kind: `Header of the response, as of ${nameOf(endpoint)}`,
            text: withoutMarks(describeHeader(document, name)),
          });
  return [...found.values()];
}
