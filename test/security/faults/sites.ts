import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Everything a function sends out passes these files; whoever calls them is the place that a fault strikes. */
const machinery = new Set([
  "lib/runtime/aws-request.ts",
  "lib/store/client.ts",
  "lib/store/dynamo.ts",
  "lib/store/retry.ts",
  "lib/store/table.ts",
  "lib/store/vectors.ts",
  "lib/http/admission.ts",
  "lib/events/sqs.ts",
  "lib/events/s3.ts",
  "lib/index/bedrock-embedder.ts",
  "lib/index/at-most.ts",
]);

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A call of the store, the queue, the bucket or the embedder, as it is written. */
const call =
  /\b(?:table|vectors|bucket|deadLetters|queue|embedder)\??\s*\.\s*(?:get|getMany|getTogether|queryPage|scanPage|write|transact|writeMany|search|put|send|embed)\(|\bqueryAll\(/g;

/** `file:line` of every call in the source, so that a new one is known before it is tested. */
export const writtenSites: readonly string[] = ["lib", "functions"].flatMap((folder) =>
  readdirSync(`${root}${folder}`, { recursive: true })
    .map((file) => `${folder}/${String(file).replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".ts") && !machinery.has(file))
    .toSorted()
    .flatMap((file) => callsIn(file, readFileSync(`${root}${file}`, "utf8"))),
);

function callsIn(file: string, source: string): string[] {
  const lines = [...source.matchAll(call)].map(({ index, 0: { length } }) => {
    return source.slice(0, index + length).split("\n").length;
  });
  return [...new Set(lines)].map((line) => `${file}:${line}`);
}

const known = new Set(writtenSites);
/** A loop or a call over several lines is told of by one of them. */
const linesNearby = [0, 1, -1, 2, -2, 3, -3];

/** Who made the call under way: the innermost place outside the machinery. Null when nobody of ours did. */
export function siteOfCaller(): string | null {
  const place = innermost();
  if (place === null) return null;
  const site = sitesByPlace.get(place) ?? siteInSource();
  sitesByPlace.set(place, site);
  return site;
}

/** To find the line in the source is slow, so it is done once for every place in the code that runs. */
const sitesByPlace = new Map<string, string>();

const stackFramesMax = 60;

/** File, line and column in the code that runs. */
function innermost(): string | null {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = stackFramesMax;
  let place: string | null = null;
  Error.prepareStackTrace = (_, frames) => {
    const frame = frames.find((each) => {
      const file = sourceFile.exec(each.getFileName() ?? "")?.[0];
      return file !== undefined && !machinery.has(file);
    });
    place = frame ? `${frame.getFileName()}:${frame.getLineNumber()}:${frame.getColumnNumber()}` : null;
    return "";
  };
  void new Error("Where am I?").stack;
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return place;
}

const sourceFile = /(?:lib|functions)\/[\w/.-]+\.ts$/;

function siteInSource(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = stackFramesMax;
  const { stack = "" } = new Error("Where am I?");
  Error.stackTraceLimit = limit;
  for (const [, file = "", line = ""] of stack.matchAll(/((?:lib|functions)\/[\w/.-]+\.ts):(\d+):\d+/g)) {
    if (machinery.has(file)) continue;
    const near = linesNearby.map((step) => `${file}:${Number(line) + step}`).find((site) => known.has(site));
    return near ?? onlyOneIn(file) ?? `${file}:${line}`;
  }
  return "nowhere";
}

/** A walk that is begun in one function and read on in another. */
function onlyOneIn(file: string): string | undefined {
  const [first, second] = writtenSites.filter((site) => site.startsWith(`${file}:`));
  return second === undefined ? first : undefined;
}
