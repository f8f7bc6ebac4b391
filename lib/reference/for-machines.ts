import type { ApiDocument, Endpoint, JsonSchema } from "./document.ts";
import type { Link } from "./html.ts";
import { markdownPath, operationPath } from "./layout.ts";
import { markdownTitle } from "./markdown.ts";
import { allFields, boundsOf, schemaFieldsOf, typeName } from "./schema-view.ts";

/** The reference as Markdown, for programs that read text: the same pages, without menu, samples and form. */

/** A page as it is written, with links that lead to the Markdown form of other pages. */
export const markdownPage = (markdown: string, link: Link): string =>
  markdown
    .split(/^(```[\s\S]*?^```)$/m)
    .map((part) => (part.startsWith("```") ? part : linked(part, link)))
    .join("")
    .replaceAll(/^<!-- .* -->\n+/gm, "");

const linked = (text: string, link: Link): string =>
  text.replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (_, words: string, target: string) => {
    const place = link(target);
    return place === undefined ? words : `[${words}](${place})`;
  });

export function operationMarkdown({ summary, method, path, description, ...endpoint }: Endpoint): string {
  const { parameters, requestBody, responses } = endpoint;
  const body = requestBody?.content["application/json"]?.schema;
  const answers = Object.entries(responses).filter(([status]) => status < "400");
  const errors = Object.entries(responses).flatMap(([status, { "x-error-codes": codes = [] }]) =>
    codes.map((code) => `- ${status} [${code}](../errors/${code}.md)`),
  );
  return [
    `# ${summary}`,
    `\`${method.toUpperCase()} ${path}\``,
    description.replaceAll("](docs/", "](../"),
    ...section(
      "Parameters",
      parameters.map((each) =>
        line(`${each.name} (${each.in})`, each.schema, each.required, [
          each.description,
          each.schema.description,
        ]),
      ),
    ),
    ...(body ? section("Body (application/json)", fieldLines(body)) : []),
    ...answers.flatMap(([status, answer]) => {
      const schema = answer.content?.["application/json"]?.schema;
      return [
        `## Response ${status}`,
        `${answer.description}.`,
        ...(schema ? [fieldLines(schema).join("\n")] : []),
      ];
    }),
    ...section("Errors", errors),
    "",
  ].join("\n\n");
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`## ${title}`, lines.join("\n")];

const fieldLines = (schema: JsonSchema): string[] =>
  allFields(schemaFieldsOf(schema)).map((field) =>
    line(field.path, field.schema, field.required, [field.schema.description]),
  );

const line = (
  name: string,
  schema: JsonSchema,
  isRequired: boolean,
  words: ReadonlyArray<string | undefined>,
): string =>
  `- \`${name}\`: ${typeName(schema)}${isRequired ? "" : ", optional"}. ${[...words, ...boundsOf(schema)].filter(Boolean).join(" ")}`;

type TextPage = { readonly path: string; readonly markdown: string };

/** https://llmstxt.org: what there is, with a link to the Markdown form of each page. */
export function llmsText(
  { info, tags }: ApiDocument,
  endpoints: readonly Endpoint[],
  pages: readonly TextPage[],
): string {
  const entry = (path: string, title: string, words = "") =>
    `- [${title}](${markdownPath(path).slice(1)})${words === "" ? "" : `: ${words}`}`;
  return [
    `# ${info.title}`,
    `> ${info.description}`,
    "Send the key in the header `x-service-api-key`. Assistants call `POST /mcp` (Model Context Protocol) with the same key.",
    "## Pages",
    [
      ...pages.map(({ path, markdown }) => entry(path, markdownTitle(markdown))),
      "- [OpenAPI document](openapi.json): every operation with its schemas and examples",
    ].join("\n"),
    ...tags.flatMap(({ name, description }) => [
      `## ${name}`,
      description,
      endpoints
        .filter((endpoint) => endpoint.tags[0] === name)
        .map(({ operationId, summary, method, path }) =>
          entry(operationPath(operationId), summary, `\`${method.toUpperCase()} ${path}\``),
        )
        .join("\n"),
    ]),
    "",
  ].join("\n\n");
}
