import { required } from "../runtime/required.ts";
import {
  type ApiDocument,
  type DocumentedResponse,
  describeHeader,
  type Endpoint,
  type Example,
  type MediaType,
  type Parameter,
} from "./document.ts";
import { codeBlock, escaped, inline } from "./html.ts";
import { methodBadge } from "./layout.ts";
import { htmlTable } from "./markdown.ts";
import { sampleRequest } from "./sample-request.ts";
import { samplesOf } from "./samples.ts";
import {
  fieldAnchor,
  fieldHead,
  fieldsHtml,
  headerAnchor,
  schemaFieldsOf,
  typeName,
  wordsHtml,
} from "./schema-view.ts";
import { tryForm } from "./try-form.ts";

/** The request and response of one operation, with samples next to it and a form that calls it below. */
export function operationMain(document: ApiDocument, endpoint: Endpoint): string {
  const { summary, method, path, tags, parameters } = endpoint;
  const of = (place: Parameter["in"]) => parameters.filter((parameter) => parameter.in === place);
  return [
    `<p class="eyebrow">${escaped(tags[0])}</p>`,
    `<h1>${escaped(summary)}</h1>`,
    `<p class="path">${methodBadge(method)} <code>${escaped(path)}</code> <a id="try-open" href="#try" hidden>Try it</a></p>`,
    '<div class="operation">',
    '<div class="words">',
    descriptionHtml(endpoint.description),
    parametersHtml("Path", of("path")),
    parametersHtml("Query", of("query")),
    bodyHtml(endpoint),
    answersHtml(document, endpoint),
    errorsHtml(endpoint),
    tryForm(endpoint),
    "</div>",
    asideHtml(endpoint),
    "</div>",
  ].join("\n");
}

/**
 * The last paragraph of the contract's description says who may call the operation; one list item per sentence is
 * easier to read.
 */
function descriptionHtml(description: string): string {
  const paragraphs = description.split("\n\n");
  const facts = paragraphs.find((paragraph) => paragraph.startsWith("Keys: "));
  const others = paragraphs.filter((paragraph) => paragraph !== facts);
  const sentences = facts?.match(/[^.]+(?:\.(?!\s|$)[^.]*)*\./g) ?? [];
  return [
    ...others.map((paragraph) => `<p>${inline(paragraph)}</p>`),
    ...(sentences.length > 0
      ? [
          '<section class="facts" aria-labelledby="who"><h2 id="who">Who may call it</h2>',
          `<ul>\n${sentences.map((words) => `<li>${inline(words.trim())}</li>`).join("\n")}\n</ul></section>`,
        ]
      : []),
  ].join("\n");
}

function parametersHtml(place: string, parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return "";
  const id = `${place.toLowerCase()}-parameters`;
  const items = parameters.map(({ name, schema, required: isRequired, description, example }) => {
    const shown = `For example \`${[example].flat().join(",")}\`.`;
    const words = [description, schema.description, shown].filter(Boolean).join(" ");
    return `<li id="${fieldAnchor("parameter", name)}">${fieldHead(name, typeName(schema), isRequired, true)}${wordsHtml(schema, words)}</li>`;
  });
  return `<h2 id="${id}">${place} parameters</h2>\n<ul class="fields">\n${items.join("\n")}\n</ul>`;
}

function bodyHtml({ requestBody }: Endpoint): string {
  const content = requestBody?.content["application/json"];
  if (!content) return "";
  return `<h2 id="body">Body</h2>\n<p>JSON, with <code>content-type: application/json</code>.</p>\n${fieldsHtml(schemaFieldsOf(content.schema), "body")}`;
}

const isSuccess = ([status]: readonly [string, DocumentedResponse]): boolean => status < "400";

function answersHtml(document: ApiDocument, { responses }: Endpoint): string {
  return Object.entries(responses)
    .filter(isSuccess)
    .map(([status, { description, content = {}, headers }]) => {
      const types = Object.keys(content);
      const fields = content["application/json"]
        ? fieldsHtml(schemaFieldsOf(content["application/json"].schema), "answer")
        : "";
      return [
        `<h2 id="answer">Response <span class="status">${status}</span></h2>`,
        `<p>${inline(description)}.${types.length > 1 ? ` As ${types.map((type) => `<code>${escaped(type)}</code>`).join(", ")}.` : ""}</p>`,
        fields,
        headersHtml(document, status, headers),
      ].join("\n");
    })
    .join("\n");
}

function headersHtml(document: ApiDocument, status: string, headers: DocumentedResponse["headers"]): string {
  const rows = Object.keys(headers).map((name) => [
    `<code id="${headerAnchor(status, name)}">${escaped(name)}</code>`,
    inline(describeHeader(document, name)),
  ]);
  return `<details><summary>Headers of the response (${rows.length})</summary>\n${htmlTable(["Header", "Meaning"], rows)}\n</details>`;
}

function errorsHtml({ responses }: Endpoint): string {
  const rows = Object.entries(responses)
    .filter((entry) => !isSuccess(entry))
    .flatMap(([status, { content, "x-error-codes": codes = [] }]) =>
      codes.map((code) => [
        status,
        `<a href="../errors/${code}">${code}</a>`,
        inline(exampleMessage(content?.["application/json"]?.examples?.[code])),
      ]),
    );
  const intro = "A program goes by the code. Each links to the page that says what to do.";
  return `<h2 id="errors">Errors</h2>\n<p>${intro}</p>\n${htmlTable(["HTTP", "Code", "Message, for example"], rows)}`;
}

/** Works for both error shapes. */
function exampleMessage(example: Example | undefined): string {
  const text = JSON.stringify(required(example, "example of an error").value);
  const [, message] = required(/"message":("(?:[^"\\]|\\.)*")/.exec(text), "message of an error");
  return String(JSON.parse(required(message, "text of a message")));
}

function asideHtml(endpoint: Endpoint): string {
  const request = sampleRequest(endpoint);
  const { start_date, end_date } = request.query;
  // The page replaces these days: see reference.js.
  const days = start_date && end_date ? ` data-start="${start_date}" data-end="${end_date}"` : "";
  const samples = samplesOf(request);
  const choice = ({ language }: (typeof samples)[number], index: number) =>
    `<label><input type="radio" name="language" value="${language}"${index === 0 ? " checked" : ""}> ${language}</label>`;
  return [
    `<aside class="samples" aria-label="Samples"${days}>`,
    "<h2>Request</h2>",
    `<fieldset class="languages"><legend>Language of the sample</legend>${samples.map(choice).join("")}</fieldset>`,
    ...samples.map(
      ({ language, code, template }) =>
        `<div class="sample" data-language="${language}" data-template="${escaped(template)}">${codeBlock(code, language, `Sample, ${language}`)}</div>`,
    ),
    ...Object.entries(endpoint.responses)
      .filter(isSuccess)
      .map(([status, { content }]) => exampleHtml(status, content?.["application/json"])),
    "</aside>",
  ].join("\n");
}

function exampleHtml(status: string, content: MediaType | undefined): string {
  const [example] = Object.values(content?.examples ?? {});
  const code = example ? JSON.stringify(example.value, null, 2) : "";
  return `<h2>Response <span class="status">${status}</span></h2>\n${code === "" ? "<p>Nothing: the status says it all.</p>" : codeBlock(code, "JSON", "Example of a response")}`;
}
