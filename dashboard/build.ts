import { readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { build } from "esbuild";
import { dashboardBuiltFolder } from "../lib/contract/dashboard.ts";

const project = resolve(import.meta.dirname, "..");

/** The dashboard as browsers load it: path below the project's root, and content. The same on every machine. */
export async function builtDashboard(): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    absWorkingDir: project,
    entryPoints: [
      { in: "dashboard/page.tsx", out: "page" },
      { in: "dashboard/worker/worker.ts", out: "worker" },
      { in: "dashboard/page.css", out: "page" },
    ],
    outdir: dashboardBuiltFolder,
    bundle: true,
    platform: "browser",
    target: ["chrome123", "firefox122", "safari17.5"],
    format: "iife",
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    legalComments: "none",
    charset: "utf8",
    write: false,
    logLevel: "error",
  });
  const whole = await Promise.all(
    ["index.html", "icon.svg"].map(
      async (name) => [name, await readFile(join(import.meta.dirname, name), "utf8")] as const,
    ),
  );
  const made = outputFiles.map(({ path, text }) => [basename(path), text] as const);
  return new Map(
    [...whole, ...made]
      .map(([name, text]) => [`${dashboardBuiltFolder}/${name}`, text] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
