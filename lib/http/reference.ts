import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { errorCodes, itemErrorCodes } from "../contract/errors.ts";
import { Fault } from "../contract/fault.ts";
import { requestLimits } from "../contract/limits.ts";
import {
  errorPagesFolder,
  html,
  referenceFiles,
  referencePages,
  referencePath,
  referenceSecurityPolicy,
} from "../contract/reference.ts";
import { type Chance, systemChance } from "../runtime/chance.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { type Coding, compress, preferredCoding } from "./compression.ts";
import { corsHeaders } from "./cors.ts";
import { renderFault } from "./errors.ts";
import {
  baseHeaders,
  headerValues,
  helpHeader,
  mountOf,
  ownPathOf,
  requestIdOf,
  shownPath,
} from "./headers.ts";
import { markdownPage } from "./markdown-page.ts";
import { logRequest } from "./request-line.ts";

type Document = {
  readonly contentType: string;
  readonly body: Buffer;
  readonly securityPolicy?: string | undefined;
};

/** Answers `GET` of the reference's routes from the files below `root`; each is read once. */
export function serveReference(root: string, chance: Chance = systemChance, clock: Clock = systemClock) {
  const read = cached((file) => readFile(join(root, file)));
  const compressOnce = compressor();
  return async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    const opened = { requestId: requestIdOf(event, chance), startedAtMs: clock.nowMs() };
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
    const document = await find(read, path);
    if (!document) {
      const fault = notThere(path);
      const { status, headers, body } = renderFault(fault, path);
      logRequest(clock, opened, { status, fault });
      const all = { ...own, ...headers, ...helpHeader(event, fault.code) };
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
  new Fault("NOT_FOUND", `There is nothing at ${shownPath(path)}. The reference of the API is at /docs.`);

async function find(read: (file: string) => Promise<Buffer>, path: string): Promise<Document | undefined> {
  const rendered = async (file: string, up: "../" | "../../") =>
    Buffer.from(markdownPage((await read(file)).toString(), up));
  const file = Object.hasOwn(referenceFiles, path) ? referenceFiles[path] : undefined;
  if (file) return { ...file, body: await read(file.file) };
  const page = Object.hasOwn(referencePages, path) ? referencePages[path] : undefined;
  if (page) return { contentType: html, body: await rendered(page, "../") };
  const code = /^\/docs\/errors\/([A-Z_]+)$/.exec(path)?.[1];
  // By the list, not by what lies in the folder: a path never decides which file is opened.
  if (code === undefined || !(Object.hasOwn(errorCodes, code) || Object.hasOwn(itemErrorCodes, code)))
    return undefined;
  return { contentType: html, body: await rendered(`${errorPagesFolder}/${code}.md`, "../../") };
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
