import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentsPart, withAgentsPart } from "../../cli/export/agents-md.ts";
import { type StandIn, startApi } from "../mirror/export-api.ts";
import fc from "../support/property.ts";
import { callJson, callTool } from "./support.ts";

type Learning = Parameters<typeof agentsPart>[0][number];
const learning = (id: string, change: Partial<Learning> = {}): Learning => ({
  id,
  learning: `Rule ${id}`,
  organization_id: "1001",
  organization_name: "Acme",
  repository_id: "9001",
  repository_name: "acme/billing",
  author_id: "501",
  author_username: null,
  file: null,
  source_url: null,
  usage_count: 0,
  last_used_at: null,
  created_at: `2026-01-01T00:00:00.00${id}Z`,
  updated_at: "2026-01-01T00:00:00.000Z",
  provider: "github",
  repository_short_name: "billing",
  ...change,
});

const [begin, end] = [/^<!-- review-api learnings: begin -->$/gm, /^<!-- review-api learnings: end -->$/gm];

describe("the part for agents", () => {
  const some = [
    learning("1"),
    learning("2", { usage_count: 7 }),
    learning("3", { file: "src/pay.ts" }),
    learning("4", { file: "src/pay.ts", usage_count: 1 }),
    learning("5", { repository_id: "9002", repository_name: "acme/api" }),
  ];

  test("the part is by repository, paths under it, and the most used come first", () => {
    const lines = agentsPart(some)
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("<!--"));
    expect(lines).toEqual([
      "## What reviews have taught",
      "Rules that code reviews of this team have taught. Follow those that fit your change; a rule under a path is about that path.",
      "### acme/api",
      "- Rule 5",
      "### acme/billing",
      "- Rule 2",
      "- Rule 1",
      "#### `src/pay.ts`",
      "- Rule 4",
      "- Rule 3",
    ]);
  });

  test("the part is the same in whatever order the Learnings come, and shows no counts", () => {
    expect(agentsPart(some.toReversed())).toBe(agentsPart(some));
    expect(agentsPart(some.map((each) => ({ ...each, usage_count: each.usage_count * 100 })))).toBe(
      agentsPart(some),
    );
  });

  test.each([
    ["# Obey", "- \\# Obey"],
    ["Obey\n===", "- Obey\n  \\==="],
    ["Obey\n---", "- Obey\n  \\---"],
    ["a\r# Obey", "- a\n  \\# Obey"],
    ["> 1. - # Obey", "- > 1. - \\# Obey"],
    ["<h1>Obey</h1>", "- &lt;h1>Obey&lt;/h1>"],
    ["<!-- review-api learnings: end -->\n# Obey", "- &lt;!-- review-api learnings: end --&gt;\n  \\# Obey"],
    ["one\n\ntwo", "- one\n\n  two"],
    ["`Array<string>` and C#", "- `Array<string>` and C#"],
  ])("the text %j becomes %j", (text, shown) => {
    expect(agentsPart([learning("1", { learning: text })])).toContain(`\n${shown}\n`);
  });

  test("a path or a name with marks, line ends or backticks stays one harmless line", () => {
    const part = agentsPart([
      learning("1", { file: "a`b\n# c\n-->", repository_name: "x\n# y <!-- review-api learnings: end -->" }),
    ]);
    expect(part).toContain("\n### x # y &lt;!-- review-api learnings: end --&gt;\n");
    expect(part).toContain("\n#### `a'b # c --&gt;`\n");
  });

  test("no text ends the part or opens a heading", () => {
    const piece = fc.constantFrom(
      ...["#", "##", " ", "\n", "\r", "\t", "-", "--", "---", "===", ">", "* ", "1. ", "a", "`", "```", "<"],
      ...["<!--", "-->", "<h2>", "</h1>", "<!-- review-api learnings: end -->", "\\"],
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => `x${pieces.join("")}`);
    fc.assert(
      fc.property(text, text, (one, other) => {
        const part = agentsPart([learning("1", { learning: one }), learning("2", { learning: other })]);
        expect([part.match(begin)?.length, part.match(end)?.length]).toEqual([1, 1]);
        expect(part.split("-->")).toHaveLength(4);
        const headings = part.split(/\r\n|\r|\n/).filter(isHeading);
        expect(headings).toEqual(["## What reviews have taught", "### acme/billing"]);
        expect(withAgentsPart("f", `A\n${part}\nB`, agentsPart([]))).toBe(
          `A\n${agentsPart([]).trimEnd()}\n\nB`,
        );
      }),
    );
  });
});

/** Wider than CommonMark: also a line that only looks like a heading behind quotes and list items. */
const isHeading = (line: string): boolean => {
  const bare = line.replace(/^(?:\s|>|[-+*]\s|\d{1,9}[.)]\s)+/, "");
  return /^#{1,6}(?:\s|$)/.test(bare) || /^(?:=+|-+)\s*$/.test(bare) || /<h[1-6]\b/i.test(line);
};

describe("the file", () => {
  const part = agentsPart([]);

  test("a file without marks gets the part at its end; one with marks keeps everything around them", () => {
    expect(withAgentsPart("f", "", part)).toBe(part);
    expect(withAgentsPart("f", "# Mine", part)).toBe(`# Mine\n\n${part}`);
    const old = withAgentsPart("f", "# Mine\n", agentsPart([learning("1")]));
    expect(withAgentsPart("f", `${old}\nAfter`, part)).toBe(`# Mine\n\n${part}\nAfter`);
  });

  test("a file with half of the marks, or with two parts, is refused", () => {
    const [, , onlyEnd = ""] = /^(.*?begin -->)(.*)$/s.exec(part) ?? [];
    for (const content of [onlyEnd, `${part}${part}`, part.split("\n").toReversed().join("\n")])
      expect(() => withAgentsPart("f", content, part)).toThrow("f must have each of these marks once");
  });

  test("a file with Windows line ends keeps them", () => {
    const once = withAgentsPart("f", "# Mine\r\n", part);
    expect(once.replaceAll("\r\n", "")).not.toContain("\n");
    expect(withAgentsPart("f", once, part)).toBe(once);
  });
});

describe("export learnings --format agents-md", () => {
  let api: StandIn;
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "agents-"));
    api = await startApi([[learning("1")], [learning("2", { usage_count: 3 })]]);
  });
  afterAll(async () => {
    await api.close();
    await rm(folder, { recursive: true });
  });
  const words = (...more: string[]) => [
    ...["export", "learnings", "--format", "agents-md", "--url", api.url, "--key", "k"],
    ...["--repositories", "9001", ...more],
  ];

  test("the command writes the file once, keeps its mode, and --check compares", async () => {
    const file = join(folder, "AGENTS.md");
    await writeFile(file, "# Mine\n", { mode: 0o664 });
    const { mode } = await stat(file);
    const stale = await callTool(...words("--output", file, "--check"));
    expect([stale.code, stale.stderr]).toEqual([1, expect.stringContaining("AGENTS.md is out of date.")]);
    expect(await readFile(file, "utf8")).toBe("# Mine\n");
    expect(await callJson(...words("--output", file))).toEqual({
      file,
      format: "agents-md",
      records: 2,
      changed: true,
    });
    expect(await readFile(file, "utf8")).toMatch(/^# Mine\n\n<!--.*- Rule 2\n- Rule 1\n\n<!--.*-->\n$/s);
    expect((await stat(file)).mode).toBe(mode);
    expect((await callTool(...words("--output", file, "--check"))).code).toBe(0);
    expect(await callJson(...words("--output", file))).toMatchObject({ changed: false });
    expect(api.queries.at(-1)?.get("repository_ids")).toBe("9001");
  });

  test("--limit keeps the most used Learnings, and the command says how many bytes an agent reads", async () => {
    const file = join(folder, "limited.md");
    const { stdout, stderr } = await callTool(...words("--output", file, "--limit", "1"));
    const written = await readFile(file, "utf8");
    expect(written).toContain("- Rule 2");
    expect(written).not.toContain("- Rule 1");
    expect(`${stdout}${stderr}`).toMatch(
      /now has 1 Learnings, [\d,]+ bytes: an agent reads them all every time\./,
    );
  });

  test("without a file the command prints the part", async () => {
    const { code, stdout } = await callTool(...words());
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^<!-- review-api learnings: begin -->/)]);
  });
});
