import { describe, expect, test } from "vitest";
import { peopleLimits, requestLimits } from "../../lib/contract/limits.ts";
import manifest from "../../package/package.json" with { type: "json" };
import projectManifest from "../../package.json" with { type: "json" };
import { pages, read } from "./pages.ts";

/** Variables that the reader has from a page's introduction, from GitHub or from the shell. */
const known = new Set(["REVIEW_API_KEY", "REVIEW_API_URL", "PWD", "HOME", "PATH", "GITHUB_STEP_SUMMARY"]);

/** The variables of a page's shell blocks that no line sets and no sentence before them names. */
function unsetVariables(text: string): string[] {
  const blocks = [...text.matchAll(/^( *)```(?:sh|bash|yaml)\n(.*?)^\1```$/gms)];
  return blocks.flatMap(({ 0: block, index }) => {
    const sofar = text.slice(0, index + block.length);
    return [...block.matchAll(/\$\{?([A-Z][A-Z_]+)\b/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !known.has(name))
      .filter((name) => !new RegExp(`\\b${name}(?:=|: )|\`${name}\``).test(sofar));
  });
}

test.each(pages)("every variable of a command on %s is set or explained before", (page) => {
  expect(unsetVariables(read(page))).toEqual([]);
});

test("the search for variables finds one that nothing sets", () => {
  const block = (line: string) => `\`\`\`sh\n${line}\n\`\`\`\n`;
  expect(unsetVariables(block('keys revoke "$KEY_ID"'))).toEqual(["KEY_ID"]);
  expect(unsetVariables(block('KEY_ID=1\nkeys revoke "$KEY_ID"'))).toEqual([]);
});

/** Commands inside a sentence that a line break cuts in two: nobody can copy them. */
const cutCommands = (text: string): string[] =>
  text
    .replaceAll(/^( *)```.*?^\1```$/gms, "")
    .match(/`(?:npx|npm|node|python3|git|curl|aws)(?: [^`\n]*)?\n[^`]*`/g) ?? [];

test.each(pages)("no line break cuts a command on %s", (page) => {
  expect(cutCommands(read(page))).toEqual([]);
});

test("the search for cut commands finds one, and none in a block", () => {
  expect(cutCommands("Run `npm run\nbench` first.")).toEqual(["`npm run\nbench`"]);
  expect(cutCommands("```sh\nnpm run \\\n  bench\n```\n")).toEqual([]);
});

describe("keys in CI", () => {
  test.each(pages.filter((page) => /\$\{\{ secrets\./.test(read(page))))(
    "%s stores no key as a secret under the name that its commands use for an Admin's key",
    (page) => {
      const text = read(page);
      const makesKeys = /keys create|\/v1\/roles|\/v1\/keys/.test(text);
      if (makesKeys) expect(text).not.toMatch(/secrets\.REVIEW_API_KEY\b/);
    },
  );
});

describe("what the service does is said once, where a test compares it with the service", () => {
  test("the runbook leaves repeated writes to the page of SERVICE_UNAVAILABLE", () => {
    const runbook = read("docs/operate/runbook.md");
    expect(runbook).toContain("(../use/errors/SERVICE_UNAVAILABLE.md)");
    expect(runbook).not.toContain("ROLE_NAME_TAKEN");
  });

  test("SERVICE_UNAVAILABLE says how long a repetition returns what the first request made", () => {
    const page = read("docs/use/errors/SERVICE_UNAVAILABLE.md");
    expect(page).toContain(`within ${requestLimits.idempotencyMs / 60_000} minutes with the same API key`);
    expect(page).toContain(`from the same key within ${peopleLimits.roleRepeatMsMax / 60_000} minutes`);
    expect(read("docs/use/errors/ROLE_NAME_TAKEN.md")).toContain("(SERVICE_UNAVAILABLE.md)");
  });

  /** The pages for callers that have a fact; a program writes errors.md from the contract. */
  const facts: ReadonlyArray<readonly [fact: string, form: RegExp, pages: readonly string[]]> = [
    [
      "how long a repeated write returns the first result",
      /\b1[05] minutes\b/,
      ["errors/SERVICE_UNAVAILABLE"],
    ],
    ["how long cursors live", /\blives? (?:30|400) days\b/, ["pagination"]],
    ["how long removals are kept", /\b401 days\b/, ["pagination"]],
    ["when a list ends", /until (?:it|`next_cursor`) is null/, ["pagination"]],
    ["the size of a response", /\b16 MiB\b/, ["limits"]],
    ["the size of a body", /\bbody.*MiB/, ["limits", "mcp"]],
    ["findings in a download", /\b50,000\b/, ["limits"]],
    ["how requests are counted", /\b60 seconds\b|sliding|`RateLimit/, ["limits"]],
    ["how clients treat unknown codes", /do not know the code|unknown (?:error )?code/, ["limits"]],
    ["what a person in two teams means", /two teams/, ["people"]],
    ["the oldest Node of the tool and of the service", /\b20\.12\b/, ["local", "tool"]],
    ["which machines need Java", /\bJava \d/, ["local"]],
  ];
  test.each(facts)("callers read on one page %s", (_, form, expected) => {
    const found = pages
      .filter((page) => page.startsWith("docs/use/") && page !== "docs/use/errors.md")
      .filter((page) => form.test(read(page)));
    expect(found).toEqual(expected.map((page) => `docs/use/${page}.md`));
  });

  test("UNAUTHORIZED promises an audit entry only for a key that exists", () => {
    expect(read("docs/use/errors/UNAUTHORIZED.md")).toMatch(/audit log.*only for a key that exists/s);
  });

  test("every page tells the same about which pull requests reports know", () => {
    for (const page of pages) expect(read(page)).not.toMatch(/report knows/);
    expect(read("docs/use/tool.md")).toContain("Reports leave out open pull requests");
  });
});

test("cost and scale begin with numbers of their own tables", () => {
  const [cost = "", scale = ""] = ["cost", "scale"].map((name) => read(`docs/operate/${name}.md`));
  const [, idle, all] = /^\| \*\*in all\*\* \|\s*\| ([\d.]+) \| ([\d.]+) \|/m.exec(cost) ?? [];
  expect(cost).toContain(
    `\n\nA stack that nobody calls costs ${idle} $ a month, with every option ${all} $.`,
  );
  const eventsOf = (row: string) =>
    new RegExp(`^\\| ${row} \\| ([\\d,]+) events`, "m").exec(scale)?.[1] ?? "";
  // The first of the two limits that all tenants share.
  const [together] = ["all tenants' events together", "the table"]
    .map(eventsOf)
    .toSorted((one, other) => Number(one.replace(",", "")) - Number(other.replace(",", "")));
  expect(scale).toContain(
    `\n\nOne tenant can send ${eventsOf("one tenant's stream")} events a second, all tenants together ${together}, ` +
      `on a new table ${eventsOf("a new table")}.`,
  );
});

/** The IAM actions of the AWS CLI's commands that are not called like the command. */
const iamActions: Readonly<Record<string, string>> = { "apigateway:UpdateStage": "apigateway:PATCH" };

test("the page about permissions allows every AWS command of the runbook and of a restore", () => {
  const allowed = read("docs/operate/permissions.md").match(/`\w+:[\w*]+`/g) ?? [];
  const called = ["runbook", "restore"].flatMap((page) =>
    [...read(`docs/operate/${page}.md`).matchAll(/\baws (\w+) (wait )?([a-z0-9]+(?:-[a-z0-9]+)+)/g)].map(
      ([, service, waits, command = ""]) => {
        const words = (waits ? "describe-table" : command).split("-");
        const action = `${service}:${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}`;
        return iamActions[action] ?? action;
      },
    ),
  );
  const isAllowed = (action: string) =>
    allowed.some((each) => new RegExp(`^${each.replaceAll("`", "").replace("*", ".*")}$`).test(action));
  expect(new Set(called).size).toBeGreaterThan(15);
  expect(called.filter((action) => !isAllowed(action))).toEqual([]);
});

/** Npm gives the words after `--` only to the last command of a script. */
function unreadOptions(text: string): string[] {
  return [...text.matchAll(/npm run ([\w:]+) -- ([^`\n]*)/g)].flatMap(([, name = "", words = ""]) => {
    const commands = (
      Object.entries(projectManifest.scripts).find(([each]) => each === name)?.[1] ?? ""
    ).split(" && ");
    const [, program] = /^node (\S+)/.exec(commands.at(-1) ?? "") ?? [];
    if (commands.length === 1 || program === undefined) return [];
    const code = read(program);
    return [...words.matchAll(/--([\w-]+)/g)].flatMap(([, option = ""]) =>
      code.includes(option) ? [] : `npm run ${name} -- --${option}`,
    );
  });
}

test.each(pages)("every option after npm run on %s reaches the program that reads it", (page) => {
  expect(unreadOptions(read(page))).toEqual([]);
});

test("the search for options finds one that only the first of several commands reads", () => {
  expect(unreadOptions("Run `npm run generate -- --release`.")).toEqual(["npm run generate -- --release"]);
  expect(unreadOptions("Run `npm run explain -- --build < line.json`.")).toEqual([]);
});

test("pages and manifests name the same oldest Node", () => {
  expect([projectManifest.engines.node, manifest.engines.node]).toEqual([">=20.12", ">=20.12"]);
  const named = pages.flatMap((page) =>
    (read(page).match(/Node 20(?:\.\d+)?(?= (?:or|and) later)/g) ?? []).map((name) => `${page}: ${name}`),
  );
  expect(named.length).toBeGreaterThan(2);
  expect(named.filter((name) => !name.endsWith("Node 20.12"))).toEqual([]);
});

describe("callers read the field's words", () => {
  const old = /\b(?:answer(?:s|ed)?|walks?|rings?|doorbells?|mirrors?)\b/gi;
  /** Without code, whose names stay, and marks of programs. */
  const prose = (text: string) => text.replaceAll(/^( *)```.*?^\1```$|<!--.*?-->|`[^`]*`/gms, "");

  // words.md explains the old words; an assistant answers questions.
  const known = ["docs/use/words.md", "docs/use/mcp.md"];
  test.each(pages.filter((page) => page.startsWith("docs/use/") && !known.includes(page)))(
    "on %s",
    (page) => {
      expect(prose(read(page)).match(old)).toBeNull();
    },
  );

  test("in every sentence of the OpenAPI document", () => {
    const sentences: string[] = [];
    JSON.parse(read("docs/openapi.json"), (name, value) => {
      if (["description", "summary"].includes(name) && typeof value === "string")
        sentences.push(prose(value));
    });
    expect(sentences.length).toBeGreaterThan(400);
    expect(sentences.filter((sentence) => sentence.match(old))).toEqual([]);
  });
});
