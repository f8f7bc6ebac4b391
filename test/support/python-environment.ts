import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { madeOnce } from "./made-once.ts";

/** Judges that others wrote. The versions stand in a file per tool, `test/support/python`. */
const pythonToolSchema = z.enum(["cfn-lint", "dlt", "duckdb-cli", "httpx", "ministack", "schemathesis"]);
export type PythonTool = z.output<typeof pythonToolSchema>;

/** Debian's, not the first in PATH: that one may live in a home folder, which CI empties. */
const pythonPath = () => process.env.PYTHON_PATH ?? "/usr/bin/python3";

const pinsOf = (tool: PythonTool) => `test/support/python/${tool}.txt`;

/** The machine lacks Python, or cannot reach PyPI: no fault of the project. The message is one sentence. */
export class PythonToolMissing extends Error {}

/**
 * The folder with the programs of a virtual environment that has the tool. It was moved after it was made, so start
 * a program as an argument of `python`.
 *
 * @example
 * const bin = await pythonTool("cfn-lint");
 * spawn(join(bin, "python"), [join(bin, "cfn-lint"), "template.json"]);
 */
export async function pythonTool(tool: PythonTool): Promise<string> {
  const folder = await madeOnce({
    name: `python-${tool}`,
    ingredients: [pinsOf(tool)],
    make: (making) => installTool(tool, making),
  });
  return join(folder, "bin");
}

export async function installTool(tool: PythonTool, folder: string): Promise<void> {
  const python = pythonPath();
  if (!existsSync(python))
    throw new PythonToolMissing(
      `${python} is missing: install Debian's package python3-venv, or set PYTHON_PATH to a python3`,
    );
  const made = await run(python, ["-m", "venv", folder]);
  if (made.code !== 0) {
    if (/ensurepip|No module named venv/.test(made.printed))
      throw new PythonToolMissing(
        `${python} makes no virtual environments: install Debian's package python3-venv`,
      );
    throw new Error(`${python} -m venv failed:\n${made.printed}`);
  }
  const pins = resolve(import.meta.dirname, "..", "..", pinsOf(tool));
  // Only wheels: what is compiled here would need more than Python.
  const pip = ["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "--requirement", pins];
  const installed = await run(join(folder, "bin", "python"), pip);
  if (installed.code === 0) return;
  if (noAnswer.test(installed.printed))
    throw new PythonToolMissing(
      `PyPI cannot be reached for ${tool}: check the network, and pip's settings with "pip config list"`,
    );
  throw new Error(`pip could not install ${pinsOf(tool)}:\n${installed.printed.slice(-2000)}`);
}

/** What pip prints if the index or its files do not answer; an OSError may be a full disk too. Without the package, an index has "versions: none". */
const noAnswer = /from versions: none\)|ConnectionPool|connection broken|(?:Client|Server) Error|timed out/i;

async function run(
  program: string,
  parameters: readonly string[],
): Promise<{ readonly code: number | null; readonly printed: string }> {
  const child = spawn(program, parameters, { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  return await new Promise((ended, failed) => {
    child.on("error", failed);
    child.on("close", (code) => ended({ code, printed }));
  });
}

/** `npm run python-tools -- TOOL...` installs them. It exits with 3, and prints why, if the machine cannot have one. */
if (import.meta.main)
  try {
    for (const name of process.argv.slice(2)) await pythonTool(pythonToolSchema.parse(name));
  } catch (error) {
    if (!(error instanceof PythonToolMissing)) throw error;
    console.log(error.message);
    process.exitCode = 3;
  }
