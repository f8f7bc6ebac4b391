import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { installTool, PythonToolMissing } from "../support/python-environment.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "python-"));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

/** A Python that prints these lines whatever it is asked, and ends with the exit code. */
async function pretend(name: string, lines: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${lines}\n`);
  await chmod(path, 0o755);
  return path;
}

/** A Python whose environments have the given pip. */
const withPip = (name: string, answer: string) =>
  pretend(
    name,
    `mkdir -p "$3/bin"; printf '#!/bin/sh\\n${answer}\\n' > "$3/bin/python"; chmod +x "$3/bin/python"`,
  );

const installing = async () => {
  const into = await mkdtemp(join(folder, "into-"));
  return await installTool("cfn-lint", into).catch((error: unknown) => error);
};

test("a machine without Python is told which package to install", async () => {
  vi.stubEnv("PYTHON_PATH", join(folder, "absent"));
  const error = await installing();
  expect(error).toBeInstanceOf(PythonToolMissing);
  expect(error).toMatchObject({
    message: `${join(folder, "absent")} is missing: install Debian's package python3-venv, or set PYTHON_PATH to a python3`,
  });
});

test("a Python without virtual environments is told which package to install", async () => {
  const python = await pretend("no-venv", `echo "Error: Command '...-m ensurepip' returned 1"; exit 1`);
  vi.stubEnv("PYTHON_PATH", python);
  const error = await installing();
  expect(error).toBeInstanceOf(PythonToolMissing);
  expect(error).toMatchObject({
    message: `${python} makes no virtual environments: install Debian's package python3-venv`,
  });
});

const hasPip = spawnSync("/usr/bin/python3", ["-c", "import ensurepip"]).status === 0;
test.skipIf(!hasPip)("the real pip without an index says that PyPI cannot be reached", async () => {
  vi.stubEnv("PIP_INDEX_URL", "http://127.0.0.1:1/simple");
  vi.stubEnv("PIP_FIND_LINKS", "");
  vi.stubEnv("PIP_RETRIES", "0");
  const error = await installing();
  expect(error).toBeInstanceOf(PythonToolMissing);
  expect(error).toMatchObject({
    message:
      'PyPI cannot be reached for cfn-lint: check the network, and pip\'s settings with "pip config list"',
  });
});

test.each([
  [
    "an index that answers without the pinned version",
    "ERROR: Could not find a version that satisfies cfn-lint==9 (from versions: 1.0.0, 1.1.0)",
  ],
  ["a full disk", "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"],
])("%s is a fault, not a missing network", async (name, answer) => {
  vi.stubEnv("PYTHON_PATH", await withPip(name, `echo "${answer}"; exit 1`));
  const error = await installing();
  expect(error).not.toBeInstanceOf(PythonToolMissing);
  expect(error).toMatchObject({ message: expect.stringContaining(answer) });
});
