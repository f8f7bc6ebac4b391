import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { referenceFiles, referencePages } from "../../lib/contract/reference.ts";
import { type ApiDocument, endpointsOf } from "../../lib/reference/document.ts";
import { joinExamples } from "../../lib/reference/examples.ts";
import { createSite, type MarkdownSource } from "../../lib/reference/site.ts";

const project = fileURLToPath(new URL("../../", import.meta.url));
const read = (file: string): string => readFileSync(`${project}${file}`, "utf8");

export const document: ApiDocument = joinExamples(
  JSON.parse(read("docs/openapi.json")),
  JSON.parse(read("docs/examples.json")),
);
export const endpoints = endpointsOf(document);

export const sources: readonly MarkdownSource[] = [
  ...Object.entries(referencePages).map(([path, page]) => ({ path, ...page, markdown: read(page.file) })),
  ...readdirSync(`${project}docs/use/errors`).map((name) => ({
    path: `/docs/errors/${name.replace(".md", "")}`,
    file: `docs/use/errors/${name}`,
    kind: "Error code",
    menuTitle: null,
    markdown: read(`docs/use/errors/${name}`),
  })),
];

const filePlaces = new Map(Object.entries(referenceFiles).map(([path, { file }]) => [file, path]));
export const site = createSite(document, sources, filePlaces);
