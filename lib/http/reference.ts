import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { ApiError } from "../contract/api-error.ts";
import { errorCodes, itemErrorCodes } from "../contract/errors.ts";
import { requestLimits } from "../contract/limits.ts";
import {
  documentFile,
  errorPagesFolder,
  examplesFile,
  html,
  llmsPath,
  markdownType,
  plainType,
  referenceFiles,
  referencePages,
  referencePath,
  referenceSecurityPolicy,
  searchPath,
} from "../contract/reference.ts";
import { shortened } from "../contract/schema-sentences.ts";
import type { ApiDocument } from "../reference/document.ts";
import { joinExamples } from "../reference/examples.ts";
import { shareResponses } from "../reference/share-responses.ts";
import { createSite, type MarkdownSource, type Site } from "../reference/site.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { type Random, systemRandom } from "../runtime/random.ts";
import { type Coding, compress, preferredCoding } from "./compression.ts";
import { corsHeaders } from "./cors.ts";
import { renderError } from "./errors.ts";
import { baseHeaders, headerValues, helpHeader, mountOf, ownPathOf, requestIdOf } from "./headers.ts";
import { nothingHere, wantsPage } from "./nothing-here.ts";
import { logRequest } from "./request-line.ts";

type Document = {
  readonly contentType: string;
  readonly body: Buffer;
  readonly securityPolicy?: string | undefined;
};

/** From the files below `root`. Each file is read and each page made only once. */
export function serveReference(root: string, random: Random = systemRandom, clock: Clock = systemClock) {
  const find = documents((file) => readFile(join(root, file)));
  const compressOnce = compressor();
  return async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    const opened = { requestId: requestIdOf(event, random), startedAtMs: clock.nowMs() };
    const own = { ...baseHeaders(opened.requestId), ...corsHeaders(event) };
    const path = ownPathOf(event);
    if (path === "/") {
      logRequest(clock, opened, { status: 302 });
      return {
        statusCode: 302,
        headers: { ...own, location: `${mountOf(event)}${referencePath}` },
        body: "",
      };
    }
    const document = await find(path);
    if (!document) {
      const error = notThere(path);
      const { status, headers, body } = renderError(error, path);
      logRequest(clock, opened, { status, error });
      const all = { ...own, ...headers, ...helpHeader(event, error.code) };
      if (wantsPage(event)) return nothingHere(event, all, error.message);
      return { statusCode: status, headers: all, body: body.toString() };
    }
    const { contentType, body, securityPolicy = referenceSecurityPolicy } = document;
    const coding =
      body.length > requestLimits.compressAboveBytes
        ? preferredCoding(headerValues(event, "accept-encoding").join(","))
        : undefined;
    const sent = coding ? await compressOnce(coding, body) : body;
    logRequest(clock, opened, { status: 200 });
    return {
      statusCode: 200,
      headers: {
        ...own,
        "content-type": contentType,
        "content-security-policy": securityPolicy,
        "referrer-policy": "no-referrer",
        ...(coding && { "content-encoding": coding }),
        vary: own.vary ? `${own.vary}, accept-encoding` : "accept-encoding",
      },
      body: sent.toString("base64"),
      isBase64Encoded: true,
    };
  };
}

const notThere = (path: string) =>
  new ApiError("NOT_FOUND", `There is nothing at ${shortened(path)}. The reference of the API is at /docs.`);

type Read = (file: string) => Promise<Buffer>;

/** Finds documents in fixed lists, not in a folder: the path of a request never decides which file is opened. */
function documents(readFromDisk: Read): (path: string) => Promise<Document | undefined> {
  const document = cached(() => readDocument(readFromDisk));
  const read = cached(async (file) =>
    file === documentFile
      ? Buffer.from(JSON.stringify(shareResponses(await document(""))))
      : readFromDisk(file),
  );
  const site = cached(async () => readSite(await document(""), read));
  const pages = new Map<string, Document>();
  return async (path) => {
    const file = Object.hasOwn(referenceFiles, path) ? referenceFiles[path] : undefined;
    if (file) return { ...file, body: await read(file.file) };
    const known = pages.get(path);
    if (known) return known;
    const { contentType, text } = pageAt(await site(""), path);
    if (text === undefined) return undefined;
    const document = { contentType, body: Buffer.from(text) };
    pages.set(path, document);
    return document;
  };
}

function pageAt(site: Site, path: string): { contentType: string; text: string | undefined } {
  if (path === searchPath) return { contentType: "application/json", text: site.search() };
  if (path === llmsPath) return { contentType: plainType, text: site.llms() };
  return path.endsWith(".md")
    ? { contentType: markdownType, text: site.markdown(path) }
    : { contentType: html, text: site.page(path) };
}

/** Our own files: the document is generated from the contract, and a test recorded the examples. */
async function readDocument(read: Read): Promise<ApiDocument> {
  const [document, examples] = await Promise.all([read(documentFile), read(examplesFile)]);
  return joinExamples(JSON.parse(document.toString()), JSON.parse(examples.toString()));
}

/** The paths of the files that pages may link to. */
const filePlaces = new Map(Object.entries(referenceFiles).map(([path, { file }]) => [file, path]));

async function readSite(document: ApiDocument, read: Read): Promise<Site> {
  const pages = Object.entries(referencePages).map(async ([path, page]): Promise<MarkdownSource> => {
    return { path, ...page, markdown: (await read(page.file)).toString() };
  });
  const errors = Object.keys({ ...errorCodes, ...itemErrorCodes }).map(
    async (code): Promise<MarkdownSource> => {
      const file = `${errorPagesFolder}/${code}.md`;
      const markdown = (await read(file)).toString();
      return { path: `/docs/errors/${code}`, file, kind: "Error code", menuTitle: null, markdown };
    },
  );
  return createSite(document, await Promise.all([...pages, ...errors]), filePlaces);
}

/** A file that was read once is compressed once. */
function compressor(): (coding: Coding, body: Buffer) => Promise<Buffer> {
  const known = { gzip: new WeakMap<Buffer, Promise<Buffer>>(), br: new WeakMap<Buffer, Promise<Buffer>>() };
  return (coding, body) => {
    const compressed = known[coding].get(body) ?? compress(coding, body);
    known[coding].set(body, compressed);
    return compressed;
  };
}

function cached<Answer>(make: (name: string) => Promise<Answer>): (name: string) => Promise<Answer> {
  const known = new Map<string, Promise<Answer>>();
  return (name) => {
    const answer = known.get(name) ?? make(name);
    known.set(name, answer);
    return answer;
  };
}
