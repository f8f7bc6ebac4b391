import { readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { dashboardBuiltFolder } from "../lib/contract/dashboard.ts";

const project = resolve(import.meta.dirname, "..");

const forBrowsers = {
  absWorkingDir: project,
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
} as const satisfies BuildOptions;

/** The module with the style of reports as files, made from the dashboard's style sheets. */
export async function builtReportStyle(): Promise<string> {
  const { outputFiles } = await build({ ...forBrowsers, entryPoints: ["dashboard/report.css"] });
  const css = outputFiles.map(({ text }) => text.trim()).join("\n");
  return `// Made by npm install from dashboard/style.\nexport const style = ${JSON.stringify(css)};\n`;
}

/** The dashboard as browsers load it: path below the project's root, and content. The same on every machine. */
export async function builtDashboard(): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    ...forBrowsers,
    entryPoints: [
      { in: "dashboard/page.tsx", out: "page" },
      { in: "dashboard/worker/worker.ts", out: "worker" },
      { in: "dashboard/page.css", out: "page" },
    ],
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
