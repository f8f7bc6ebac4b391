import type { Endpoint } from "./document.ts";
import { operationPath } from "./layout.ts";
import { sectionsOf } from "./markdown.ts";
import { allFields, boundsOf, fieldAnchor, fieldsOf } from "./schema-view.ts";

/** One thing that can be found. Short names: there are a thousand of them in one file. */
export type Findable = {
  /** Below the service's own address. */
  readonly to: string;
  readonly title: string;
  /** What it belongs to, such as "Field of GET /v1/users". */
  readonly kind: string;
  readonly text: string;
};

export const searchIndex = (
  endpoints: readonly Endpoint[],
  pages: ReadonlyArray<readonly [path: string, kind: string, markdown: string]>,
): readonly Findable[] => [
  ...endpoints.map(operationEntry),
  ...pages.flatMap(([path, kind, markdown]) =>
    sectionsOf(markdown).map(
      ({ title, anchor, text }): Findable => ({ to: anchor ? `${path}#${anchor}` : path, title, kind, text }),
    ),
  ),
  ...endpoints.flatMap(fieldEntries),
];

const nameOf = ({ method, path }: Endpoint): string => `${method.toUpperCase()} ${path}`;
const withoutMarks = (text: string): string => text.replaceAll("`", "");

const operationEntry = (endpoint: Endpoint): Findable => ({
  to: operationPath(endpoint.operationId),
  title: endpoint.summary,
  kind: nameOf(endpoint),
  text: withoutMarks(`${endpoint.operationId} ${endpoint.description}`),
});

function fieldEntries(endpoint: Endpoint): Findable[] {
  const to = (place: string, path: string) =>
    `${operationPath(endpoint.operationId)}#${fieldAnchor(place, path)}`;
  const body = endpoint.requestBody?.content["application/json"]?.schema;
  const answers = Object.entries(endpoint.responses)
    .filter(([status]) => status < "400")
    .flatMap(([, { content }]) => content?.["application/json"]?.schema ?? []);
  const fields = (place: string, kind: string, schemas: typeof answers) =>
    schemas
      .flatMap((schema) => allFields(fieldsOf(schema)))
      .map(
        ({ path, schema }): Findable => ({
          to: to(place, path),
          title: path,
          kind: `${kind} of ${nameOf(endpoint)}`,
          text: withoutMarks([schema.description ?? "", ...boundsOf(schema)].join(" ")),
        }),
      );
  return [
    ...endpoint.parameters.map(
      ({ name, description, schema }): Findable => ({
        to: to("parameter", name),
        title: name,
        kind: `Parameter of ${nameOf(endpoint)}`,
        text: withoutMarks([description, ...boundsOf(schema)].join(" ")),
      }),
    ),
    ...fields("body", "Body", body ? [body] : []),
    ...fields("answer", "Answer", answers),
  ];
}
