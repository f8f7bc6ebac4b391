import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { projectDirectory } from "../../infra/bundle.ts";

/** Everything that `.ci/run` calls, as programs that write down how they were called. */
const programs: Readonly<Record<string, string>> = {
  npm: `case "$*" in
config*) echo registry ;;
"run --silent python-tools"*) [ -z "$NO_PYPI" ] || { echo "PyPI cannot be reached"; exit "$NO_PYPI"; } ;;
start) touch "$FOLDER/running"; trap 'rm "$FOLDER/running"; exit' TERM
  echo "curl 'http://127.0.0.1:1/v1/whoami'"; echo "npx --no-install review-api export"
  while :; do sleep 0.1; done ;;
*) echo "npm $*" >> "$FOLDER/called"
  if [ -f "$HOME/.pip/pip.conf" ]; then cp "$HOME/.pip/pip.conf" "$FOLDER/pip-settings"; fi ;;
esac`,
  curl: `[ -e "$FOLDER/running" ]`,
  git: "exit 0",
  id: "echo 1000",
  sudo: `[ "$SUDO" = works ] || exit 1; shift; "$@"`,
  "apt-get": `echo "apt-get $*" >> "$FOLDER/called"
case "$*" in *chromium) [ "$ARCHIVE" = Debian ] || exit 100; touch "$CHROMIUM_PATH"; chmod +x "$CHROMIUM_PATH" ;; esac`,
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ci-"));
  await mkdir(join(folder, "bin"));
  for (const [name, lines] of Object.entries(programs)) {
    await writeFile(join(folder, "bin", name), `#!/bin/bash\n${lines}\n`);
    await chmod(join(folder, "bin", name), 0o755);
  }
});
afterAll(() => rm(folder, { recursive: true }));

async function run(settings: Readonly<Record<string, string>>) {
  await rm(join(folder, "called"), { force: true });
  await rm(join(folder, "chromium"), { force: true });
  const env = {
    PATH: `${join(folder, "bin")}:/usr/bin:/bin`,
    FOLDER: folder,
    CHROMIUM_PATH: join(folder, "chromium"),
    ...settings,
  };
  const printed = await new Promise<string>((resolve, reject) => {
    execFile("bash", [join(projectDirectory, ".ci", "run")], { env }, (error, stdout, stderr) =>
      error ? reject(new Error(`${stdout}${stderr}`)) : resolve(stdout),
    );
  });
  return { printed, called: await readFile(join(folder, "called"), "utf8") };
}

describe("CI on a machine without a browser", () => {
  test("installs the browser with sudo that asks for no password, and tests the pages", async () => {
    const { printed, called } = await run({ SUDO: "works", ARCHIVE: "Debian" });
    expect(called).toContain("apt-get install -y -qq chromium\n");
    expect(called).toContain("npm run test:pages\n");
    expect(printed).not.toContain("npm run test:pages needs");
  });

  test.each([
    { SUDO: "asks for a password", ARCHIVE: "Debian" },
    { SUDO: "works", ARCHIVE: "Ubuntu" },
  ])(
    "says that it does not test the pages if it cannot install one, and runs the rest (%o)",
    async (settings) => {
      const { printed, called } = await run(settings);
      expect(printed).toContain("Not installed: chromium");
      expect(printed).toMatch(/^Not run: npm run test:pages needs .*chromium\.$/m);
      expect(called).not.toContain("npm run test:pages");
      expect(called).toContain("npm run test:measure\n");
      expect(called).toContain("npm run synth\n");
      expect(printed).toContain("CI: everything else passed in");
    },
  );
});

test("CI installs Debian's virtual environments where Python has none", async () => {
  const { called } = await run({ SUDO: "works", ARCHIVE: "Debian", PYTHON_PATH: "/bin/false" });
  expect(called).toContain("apt-get install -y -qq python3-venv\n");
});

test("CI says that it does not run a command whose tools it cannot have from PyPI, and runs the rest", async () => {
  const { printed, called } = await run({ SUDO: "works", ARCHIVE: "Debian", NO_PYPI: "3" });
  const last = printed.trimEnd().split("\n").at(-1);
  expect(last).toMatch(/^CI: everything else passed in /);
  for (const command of ["npm run test:deploy", "npm run test:schemathesis"]) {
    expect(printed).toContain(`\nNot run: ${command}: PyPI cannot be reached.\n`);
    expect(last).toContain(` Not run: ${command}: `);
    expect(called).not.toContain(command);
  }
  expect(called).toContain("npm run test:system\n");
  for (const tool of ["dlt", "duckdb-cli", "httpx"])
    expect(last).toContain(` Not run: what npm run test:system does with ${tool}: PyPI cannot be reached.`);
  expect(called).toContain("npm run synth\n");
});

test("CI says that nobody looked at the printed pages where nothing reads them", async () => {
  const others = join(folder, "others");
  await mkdir(others);
  for (const name of await readdir("/usr/bin"))
    if (name !== "pdftotext") await symlink(join("/usr/bin", name), join(others, name));
  const path = `${join(folder, "bin")}:${others}`;
  const { printed } = await run({ SUDO: "works", ARCHIVE: "Debian", PATH: path });
  expect(printed).toContain("Not run: the printed pages of npm run test:pages need");
});

test("CI fails if the tools cannot be installed for another reason", async () => {
  const failed = run({ SUDO: "works", ARCHIVE: "Debian", NO_PYPI: "1" });
  await expect(failed).rejects.toThrow("CI: npm run python-tools failed.");
});

test.each([".config/pip", ".pip"])("an empty home folder keeps pip's settings of ~/%s", async (place) => {
  const home = await mkdtemp(join(folder, "home-"));
  await mkdir(join(home, place), { recursive: true });
  await writeFile(join(home, place, "pip.conf"), "[global]\nindex-url = https://index.example/simple\n");
  await run({ SUDO: "works", ARCHIVE: "Debian", HOME: home });
  const kept = await readFile(join(folder, "pip-settings"), "utf8");
  expect(kept).toContain("https://index.example/simple");
  await rm(join(folder, "pip-settings"));
});

test("CI installs from the lock file with npm install and npm ci", async () => {
  const { called } = await run({ SUDO: "works", ARCHIVE: "Debian" });
  expect(
    called
      .split("\n")
      .filter((line) => line.startsWith("npm "))
      .slice(0, 3),
  ).toEqual(["npm install", "npm ci", "npm test"]);
});
