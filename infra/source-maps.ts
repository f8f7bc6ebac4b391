import { cp, readFile, rm } from "node:fs/promises";
import { SourceMap } from "node:module";
import { join } from "node:path";
import * as z from "zod";
import { operations } from "../lib/contract/operations.ts";
import { internalFunctions, workers } from "../lib/contract/workers.ts";
import { buildDigest, bundleFunctions, bundlesDirectory, projectDirectory } from "./bundle.ts";

const mapsDirectory = join(projectDirectory, "dist", "source-maps");

/** Keeps the source maps of the new bundles by release: the next build overwrites the bundles. */
export async function keepSourceMaps(
  release: string,
  { bundles = bundlesDirectory, keptIn = mapsDirectory } = {},
): Promise<void> {
  const target = join(keptIn, release);
  await rm(target, { recursive: true, force: true });
  await cp(bundles, target, {
    recursive: true,
    filter: (path) => !/\.[a-z]+$/.test(path) || path.endsWith(".mjs.map"),
  });
}

/** Builds the source maps of a log line's release again; fails if this tree produces a different build. */
export async function rebuildSourceMaps(logLine: string, build = everyBundle): Promise<void> {
  const { release = "" } = lineSchema.parse(JSON.parse(logLine));
  const digest = await build();
  if (release !== digest && !release.endsWith(`-${digest}`))
    throw new NoSourceMap(
      `The line is of ${release}, and this tree builds ${digest}: the places would be wrong. Check out the commit that the ` +
        "release begins with, without changes, run npm install, and try again.",
    );
  await keepSourceMaps(release);
}

async function everyBundle(): Promise<string> {
  await bundleFunctions();
  return await buildDigest();
}

const lineSchema = z.object({
  release: z.string().optional(),
  operation: z.string().optional(),
  worker: z.string().optional(),
  cause: z.array(z.string()),
});

const sources = new Map<string, string>(
  [...operations, ...workers, ...internalFunctions].map(({ id, source }) => [id, source]),
);

export class NoSourceMap extends Error {
  override readonly name = "NoSourceMap";
}

/** The `cause` of a log line, with positions in our own files instead of the bundle's. */
export async function explainCause(logLine: string, keptIn: string = mapsDirectory): Promise<string[]> {
  const { release, operation, worker, cause } = lineSchema.parse(JSON.parse(logLine));
  const source = sources.get(operation ?? worker ?? "");
  if (release === undefined || source === undefined)
    throw new NoSourceMap(
      "The line names no release, or no operation or worker: its places stay as they are.",
    );
  const readMap = mapReader(join(keptIn, release, source), release);
  return await Promise.all(cause.map((line) => explainLine(line, readMap)));
}

type ReadMap = (file: string) => Promise<SourceMap>;

function mapReader(directory: string, release: string): ReadMap {
  return async (file) => {
    try {
      return new SourceMap(JSON.parse(await readFile(join(directory, `${file}.map`), "utf8")));
    } catch {
      throw new NoSourceMap(
        `There are no source maps of ${release} here. Check out the commit that it begins with and run: npm run explain -- --build`,
      );
    }
  };
}

const place = /(?:file:\/\/)?[\w/.:-]*?([\w-]+\.mjs):(\d+):(\d+)/;

async function explainLine(line: string, readMap: ReadMap): Promise<string> {
  const [found, file = "", row = "", column = ""] = place.exec(line) ?? [];
  if (found === undefined) return line;
  const entry = (await readMap(file)).findEntry(Number(row) - 1, Number(column) - 1);
  if (!("originalSource" in entry)) return line;
  const { originalSource, originalLine, originalColumn } = entry;
  // The path is relative to the bundle's folder, at any depth: makes it relative to the project's root.
  const path = originalSource.replace(/^(\.\.\/)+/, "");
  return line.replace(found, `${path}:${originalLine + 1}:${originalColumn + 1}`);
}
