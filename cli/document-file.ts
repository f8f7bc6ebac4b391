import { readFile } from "node:fs/promises";
import { joinExamples } from "../lib/reference/examples.ts";
import { shareResponses } from "../lib/reference/share-responses.ts";

/** In the checkout and in the package it has this path, seen from this file. In the package it contains the examples. */
const documentFile = new URL("../docs/openapi.json", import.meta.url);
const examplesFile = new URL("../docs/examples.json", import.meta.url);

/** The OpenAPI document with its examples. */
export async function readDocument(): Promise<object> {
  const document = JSON.parse(await readFile(documentFile, "utf8"));
  const examples = await readFile(examplesFile, "utf8").catch(() => undefined);
  return examples === undefined ? document : shareResponses(joinExamples(document, JSON.parse(examples)));
}
