import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { parseOptions, stackOptionNames } from "../../infra/options.ts";
import { madeUpKeyText } from "../../lib/access/key-text.ts";
import { permissions, systemRoles } from "../../lib/contract/access.ts";
import { identityNamespace } from "../../lib/contract/identity.ts";
import { cursorLimits, indexLimits, streamLimits } from "../../lib/contract/limits.ts";
import { alarms, functionSettings, lambdaLimits, throttle } from "../../lib/contract/platform.ts";
import { finishMoves } from "../../lib/contract/workers.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import { searchForReview } from "../../lib/learnings/search.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { tableWith } from "../support/partial-table.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (page: string): string => readFileSync(join(root, page), "utf8");
const aws = read("docs/operate/aws.md");

/** The rows of the table under a heading: cells without padding. */
const rowsAfter = (text: string, start: string): string[][] =>
  (/(?:^\|.*\n)+/m.exec(text.slice(text.indexOf(start)))?.[0] ?? "")
    .trimEnd()
    .split("\n")
    .slice(2)
    .map((row) =>
      row
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );

describe("the pages for callers, about AWS and about the stream have the numbers and names of the code", () => {
  test("the pages have the namespace of ids, all permissions and the lifetimes of cursors", () => {
    expect(read("docs/use/learnings.md")).toContain(`\`${identityNamespace}\``);
    for (const permission of permissions) expect(read("docs/use/people.md")).toContain(`\`${permission}\``);
    expect(
      permissions.filter((each) => !systemRoles.cr_member.permissions.some((own) => own === each)),
    ).toEqual(["security:read"]);
    const pagination = read("docs/use/pagination.md");
    expect(pagination).toContain(`live ${cursorLimits.pageAgeDaysMax} days`);
    expect(pagination).toContain(`lives ${cursorLimits.resumeAgeDaysMax} days`);
  });

  test("the page about AWS has our own quotas, and names only alarms that exist", () => {
    expect(aws).toContain(
      `of ${throttle.requestsPerSecond.toLocaleString("en-US")} (burst ${throttle.burstRequests})`,
    );
    expect(aws).toContain(`at ${functionSettings.operation.work.totalMs / 1000} s`);
    expect(aws).toContain(`(${lambdaLimits.concurrencyUnreservedMin} stay free)`);
    for (const [, alarm = ""] of aws.matchAll(/`(\w+)`(?=[^|]{0,20} rings)/g))
      expect(Object.keys(alarms)).toContain(alarm);
  });

  test("the pattern for secret scanners matches new keys of every kind, and no shorter text", () => {
    const [, pattern = ""] = /find keys with `([^`]+)`/.exec(read("docs/use/keys.md")) ?? [];
    const published = new RegExp(`^${pattern}$`);
    const organization = systemRandom.uuid();
    const bound = { organization, tenant: "w#acme", userId: "1" } as const;
    for (const hints of [
      { kind: "organization", ...bound },
      { kind: "user", ...bound },
      { kind: "agentic", ...bound },
      { kind: "workspace", workspaceId: "a" },
      { kind: "instance", instanceId: "n", home: organization, userId: "1" },
    ] as const)
      expect(madeUpKeyText(hints, systemRandom)).toMatch(published);
    expect(`rk_user_${"a".repeat(20)}`).not.toMatch(published);
  });

  test("the page about the stream has the limits and the schedule of the code", () => {
    const stream = read("docs/change/stream.md");
    expect(stream).toContain(
      `older than ${cursorLimits.pageAgeDaysMax} days, or ${cursorLimits.resumeAgeDaysMax} for`,
    );
    expect(stream).toContain(`${streamLimits.attemptsMax} times at most`);
    expect(stream).toContain(`Entries over ${streamLimits.inlineBytesMax / 1024} KB`);
    expect([finishMoves.trigger, stream]).toEqual([
      { kind: "schedule", everyMinutes: 1 },
      expect.stringContaining("continues every minute"),
    ]);
  });
});

test("the search function accepts the example of the reviewer's search on the page about AWS", async () => {
  const [, example = ""] = /The reviewer invokes the function with\n\n```json\n(.*?)```/s.exec(aws) ?? [];
  const nothing = async () => [];
  const deps = {
    table: tableWith({ getMany: nothing }),
    vectors: { search: nothing },
    embedder: localEmbedder,
  };
  expect(await searchForReview(deps, JSON.parse(example))).toEqual({ learnings: [] });
  expect(aws).toContain(
    `\`k\` is 1 to ${indexLimits.resultsMax}, \`text\` up to ${indexLimits.searchBytesMax.toLocaleString("en-US")} bytes`,
  );
});

test("the options on the page about AWS are the options of the stack", () => {
  const names = rowsAfter(aws, "| Option |").flatMap(([cell = ""]) => cell.match(/\w+/g) ?? []);
  expect(names.toSorted()).toEqual([...stackOptionNames].toSorted());
});

test("the stack accepts the file of options on the page about AWS", () => {
  const [, file = ""] = /```json\n(.*?)```/s.exec(aws) ?? [];
  const shown = z.record(z.string(), z.unknown()).parse(JSON.parse(file));
  expect(parseOptions((name) => shown[name])).toMatchObject(shown);
  expect(Object.keys(shown).filter((name) => !stackOptionNames.includes(name))).toEqual([]);
});

test("the program of the client compiles", async () => {
  const [, program = ""] = /```ts\n(.*?)```/s.exec(read("docs/use/tool.md")) ?? [];
  expect(program).toContain("createClient");
  const folder = await mkdtemp(join(tmpdir(), "review-api-guide-"));
  // As the package names it, with the client's sources.
  const installed = join(folder, "node_modules", "review-api");
  await mkdir(installed, { recursive: true });
  await symlink(join(root, "lib", "client"), join(installed, "client"));
  await writeFile(join(installed, "package.json"), '{"exports":{".":"./client/client.ts"}}');
  const surroundings =
    "declare const process: { env: Record<string, string | undefined> };\n" +
    "declare function store(rows: readonly unknown[]): void;\ndeclare function remember(cursor: string): void;\n";
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await writeFile(join(folder, "program.ts"), surroundings + program);
  const words = [
    "--noEmit",
    "--strict",
    "--allowImportingTsExtensions",
    "--ignoreConfig",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--types",
    "",
  ];
  const compiler = join(root, "node_modules", ".bin", "tsc");
  await promisify(execFile)(compiler, [...words, "--lib", "es2022,dom", "program.ts"], { cwd: folder });
  await rm(folder, { recursive: true });
});
