import { cp, readFile } from "node:fs/promises";
import { SourceMap } from "node:module";
import { join } from "node:path";
import * as z from "zod";
import { bundleFunctions, bundlesDirectory, projectDirectory, releasesOf } from "./bundle.ts";

const mapsDirectory = join(projectDirectory, "dist", "source-maps");

/** The release of each function, by its source. */
export type Releases = ReadonlyMap<string, string>;

/** Keeps the source maps of the new bundles by release: the next build overwrites the bundles. */
export async function keepSourceMaps(
  releases: Releases,
  { bundles = bundlesDirectory, keptIn = mapsDirectory } = {},
): Promise<void> {
  for (const [source, release] of releases)
    await cp(join(bundles, source), join(keptIn, release), {
      recursive: true,
      filter: (path) => !/\.[a-z]+$/.test(path) || path.endsWith(".mjs.map"),
    });
}

/** Builds the source maps of a log line's release again; fails if this tree builds no such function. */
export async function rebuildSourceMaps(
  logLine: string,
  build = buildEveryFunction,
  keep: (releases: Releases) => Promise<void> = keepSourceMaps,
): Promise<void> {
  const { release = "" } = lineSchema.parse(JSON.parse(logLine));
  const releases = await build();
  if (![...releases.values()].includes(release))
    throw new NoSourceMap(
      `This tree builds no function of release ${release}: the places would be wrong. Check out the commit that was ` +
        "deployed then (the stack's output Commit), without changes, run npm install, and try again.",
    );
  await keep(releases);
}

async function buildEveryFunction(): Promise<Releases> {
  await bundleFunctions();
  return await releasesOf();
}

const lineSchema = z.object({ release: z.string().optional(), cause: z.array(z.string()) });

export class NoSourceMap extends Error {
  override readonly name = "NoSourceMap";
}

/** The `cause` of a log line, with positions in our own files instead of the bundle's. */
export async function explainCause(logLine: string, keptIn: string = mapsDirectory): Promise<string[]> {
  const { release, cause } = lineSchema.parse(JSON.parse(logLine));
  if (release === undefined) throw new NoSourceMap("The line names no release: its places stay as they are.");
  const readMap = mapReader(join(keptIn, release), release);
  return await Promise.all(cause.map((line) => explainLine(line, readMap)));
}

type ReadMap = (file: string) => Promise<SourceMap>;

function mapReader(directory: string, release: string): ReadMap {
  return async (file) => {
    try {
      return new SourceMap(JSON.parse(await readFile(join(directory, `${file}.map`), "utf8")));
    } catch {
      throw new NoSourceMap(
        `There are no source maps of ${release} here. Check out the commit that was deployed then (the stack's output ` +
          "Commit) and run: npm run explain -- --build",
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
