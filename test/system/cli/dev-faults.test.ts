import { once } from "node:events";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { portOf } from "../../../lib/local/engine/child.ts";
import { engineKinds } from "../../../lib/local/engine/engine.ts";
import {
  callTool,
  event,
  ndjson,
  type Outcome,
  runTool,
  soloOrganization,
  useDev,
} from "../../cli/support.ts";
import { engineKind } from "../../support/engine.ts";
import { asNobody } from "../../support/nobody.ts";

const dev = useDev();

/** Expects one clear sentence, no stack trace, and an exit code that means failure. */
function expectSentence({ code, stdout, stderr }: Outcome, sentence: string | RegExp): void {
  expect(stdout).toBe("");
  const lines = stderr.trimEnd().split("\n");
  expect(lines.filter((line) => !line.startsWith("Starting the engine "))).toEqual([
    typeof sentence === "string" ? sentence : expect.stringMatching(sentence),
  ]);
  expect(code).toBe(1);
}

/** Makes the tool believe that it runs on this platform. */
const pretending = (platform: string) => {
  const script = `Object.defineProperty(process,'platform',{value:'${platform}'})`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
};

describe("errors at the start of the service", () => {
  test("a start on a taken port deletes nothing, not even with --fresh", async () => {
    const folder = await dev.folder();
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const port = String(portOf(server));
    await writeFile(join(folder, "table.db"), "precious");
    const outcome = await callTool("dev", "--data", folder, "--port", port, "--fresh");
    server.close();
    expectSentence(outcome, `Port ${port} is taken by another program; choose another with --port N.`);
    expect(await readFile(join(folder, "table.db"), "utf8")).toBe("precious");
  });

  test("without an engine for this machine, one sentence names both solutions", async () => {
    const env = { ...pretending("sunos"), JAVA_HOME: await dev.folder(), REVIEW_API_ENGINE: "" };
    const outcome = await runTool(["dev", "--data", await dev.folder(), "--port", "0"], { env });
    expectSentence(
      outcome,
      /^No engine runs on this machine \(dynoxide: the package @dynoxide\/sunos-\w+ is not installed; dynamodb-local: Java 17 or newer is not installed\)\. Install Java 17 or newer for dynamodb-local, or use a platform that has a dynoxide package\.$/,
    );
  });

  test("an unknown engine, or one that does not run here, is refused", async () => {
    const folder = await dev.folder();
    vi.stubEnv("JAVA_HOME", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    expectSentence(
      await callTool("dev", "--data", folder, "--port", "0", "--engine", "dynamodb-local"),
      "The engine dynamodb-local does not run on this machine: Java 17 or newer is not installed.",
    );
    expectSentence(
      await callTool("dev", "--data", folder, "--port", "0", "--engine", "sqlite"),
      'There is no engine "sqlite"; choose dynoxide or dynamodb-local.',
    );
  });

  test("data of the other engine is refused and stays unchanged", async () => {
    const folder = await dev.folder();
    const [other] = engineKinds.filter((kind) => kind !== engineKind);
    const file = join(folder, other?.dataPath ?? "");
    await writeFile(file, "precious");
    expectSentence(
      await callTool("dev", "--data", folder, "--port", "0"),
      `The data in ${folder} was made by the engine ${other?.name}, and ${engineKind.name} cannot read it: ` +
        `use --engine ${other?.name}, or start empty with --fresh.`,
    );
    expect(await readFile(file, "utf8")).toBe("precious");
  });

  test("a database file that is not a database is refused and stays unchanged", async () => {
    const folder = await dev.folder();
    const path = join(folder, engineKind.dataPath);
    const content = "this was once something else ".repeat(100);
    const file = engineKind.dataIsFolder ? join(path, "abc_local.db") : path;
    if (engineKind.dataIsFolder) {
      await mkdir(path);
      await writeFile(join(path, "access-key-id"), "abc");
    }
    await writeFile(file, content);
    expectSentence(
      await callTool("dev", "--data", folder, "--port", "0"),
      `${path} is not a database this service can read; move it away, or start empty with --fresh.`,
    );
    expect(await readFile(file, "utf8")).toBe(content);
  });

  test("a data directory that is a file, or below one, is refused", async () => {
    const file = join(await dev.folder(), "file");
    await writeFile(file, "");
    expectSentence(
      await callTool("dev", "--data", file, "--port", "0"),
      `The data directory ${file} cannot be used: it is not a folder.`,
    );
    expectSentence(
      await callTool("dev", "--data", join(file, "below"), "--port", "0"),
      `The data directory ${join(file, "below")} cannot be used: a part of its path is not a folder.`,
    );
  });

  /** Runs as a process, on behalf of all these faults. */
  test("a data directory that is not writable is refused", async () => {
    const folder = join(await dev.folder(), "locked");
    await mkdir(folder);
    await chmod(join(folder, "../.."), 0o755);
    await chmod(folder, 0o555);
    const outcome = await runTool(["dev", "--data", folder, "--port", "0"], asNobody);
    expectSentence(outcome, `The data directory ${folder} cannot be used: it is not writable.`);
  });

  test.each([
    ["is not there", undefined, / cannot be read: there is no such file\.$/],
    ["has a line that is not JSON", "{}x\n", /, line 1: this is not JSON\.$/],
    [
      "has an event without an id",
      ndjson([{ type: "a.b", data: {} }]),
      /, line 1: id: is required; occurred_at: is required; type: a\.b is unknown\. Known types: .*$/,
    ],
    [
      "has an event of an unknown type",
      ndjson([event(1, "organization.saved", soloOrganization("1", "one")), event(2, "planet.saved", {})]),
      /, line 2: type: planet\.saved is unknown\. Known types: workspace\.saved, .*, security_scan\.completed\.$/,
    ],
    [
      "has an event that its type does not take",
      `\n${ndjson([event(1, "organization.saved", { ...soloOrganization("1", "one"), plan: "gold" })])}`,
      /, line 2: plan: .*$/,
    ],
  ])(
    "the service does not start, and deletes nothing, if its seed file %s",
    async (_name, content, sentence) => {
      const folder = await dev.folder();
      const seed = join(folder, "seed.ndjson");
      if (content !== undefined) await writeFile(seed, content);
      await writeFile(join(folder, "table.db"), "precious");
      const outcome = await callTool("dev", "--data", folder, "--port", "0", "--fresh", "--seed", seed);
      expectSentence(outcome, sentence);
      expect(outcome.stderr.startsWith(seed)).toBe(true);
      expect(await readFile(join(folder, "table.db"), "utf8")).toBe("precious");
    },
  );
});
