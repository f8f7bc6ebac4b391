import { WriteStream } from "node:tty";
import { stripVTControlCharacters } from "node:util";
import { expect, test, vi } from "vitest";
import { CommandInput } from "../../cli/command.ts";
import { showList } from "../../cli/listing.ts";
import {
  formatRecord,
  formatTable,
  noPaint,
  painter,
  printed,
  processTerminal,
  type Terminal,
  type TerminalRow,
} from "../../cli/terminal.ts";
import { callTool } from "./support.ts";

function list(values: Record<string, string | boolean>, records: readonly TerminalRow[]) {
  const out: string[] = [];
  const terminal = {
    out: (text: string) => void out.push(text),
    say: () => undefined,
    write: async () => undefined,
    tryOut: () => undefined,
    outOnce: async () => undefined,
    watched: false,
    paint: noPaint,
    paintSaid: noPaint,
    ask: async () => "",
  } satisfies Terminal;
  showList(new CommandInput(undefined, values), terminal, {
    records,
    document: { keys: records },
    none: "None.",
  });
  return out.join("\n");
}

const records = [
  { id: "a", name: "=1+1", note: null },
  { id: "b", name: 'say "hi", all', more: 2 },
];

test("a list can be a table, JSON, NDJSON, or CSV that is safe in spreadsheets", () => {
  expect(list({}, records)).toBe(
    ["ID  NAME           NOTE  MORE", "a   =1+1           -     -", 'b   say "hi", all  -     2'].join("\n"),
  );
  expect(JSON.parse(list({ json: true }, records))).toEqual({ keys: records });
  expect(list({ format: "json" }, records)).toBe(list({ json: true }, records));
  expect(list({ format: "ndjson" }, records)).toBe(records.map((each) => JSON.stringify(each)).join("\n"));
  expect(list({ format: "csv" }, records)).toBe(`id,name,note,more\r\na,'=1+1,,\r\nb,"say ""hi"", all",,2`);
});

test("a text of others cannot move the cursor, hide letters or reverse their order in what a person reads", () => {
  const hostile = "Never log\u001b[2K\rAlways log\u202e\u0007\u009b31m\nnext\tline\u200b";
  const shown = "Never log\\u001b[2K\\u000dAlways log\\u202e\\u0007\\u009b31m\\u000anext\\u0009line\\u200b";
  expect(formatTable([{ learning: hostile }])).toBe(`LEARNING\n${shown}`);
  expect(formatRecord({ learning: hostile })).toBe(`learning  ${shown}`);
  expect(list({}, [{ learning: hostile }])).toContain(shown);
  expect(printed("One line.\nAnother: é 👩‍💻\u001b[1m")).toBe("One line.\nAnother: é 👩‍💻\\u001b[1m");
});

test("an empty list is a sentence for people, and empty output for programs", () => {
  expect(list({}, [])).toBe("None.");
  expect(list({ format: "csv" }, [])).toBe("");
  expect(list({ format: "json" }, [])).toBe('{"keys":[]}');
});

test("a format that is unknown, or that contradicts --json, is refused", () => {
  expect(() => list({ format: "xml" }, [])).toThrow(
    '--format takes one of table, json, ndjson, csv, not "xml".',
  );
  expect(() => list({ format: "csv", json: true }, [])).toThrow(
    "--json and --format csv cannot be used together.",
  );
});

test.each([
  "keys list",
  "tokens list",
  "org show",
  "members list",
  "learnings pending",
  "learnings search",
  "seats idle",
  "events failed",
  "events waiting",
])("%s takes --format", async (path) => {
  const { stdout } = await callTool(...path.split(" "), "--help");
  expect(stdout).toMatch(/--format FORMAT +table, json, ndjson, csv/);
});

test.each([
  ["tokens", "list", "--workspace", "acme", "--as", "501", "--data", "/nowhere"],
  ["org", "show", "--data", "/nowhere"],
  ["roles", "--url", "http://127.0.0.1:9", "--key", "none"],
])("%s %s refuses a wrong --format before it connects", async (...words) => {
  const { code, stderr } = await callTool(...words, "--format", "xml");
  expect([code, stderr]).toEqual([2, expect.stringContaining("--format takes one of table, json, ndjson")]);
  const both = await callTool(...words, "--format", "csv", "--json");
  expect([both.code, both.stderr]).toEqual([
    2,
    expect.stringContaining("--json and --format csv cannot be used together."),
  ]);
});

test("colours appear only on a terminal that has them, never in a pipe or with NO_COLOR", () => {
  vi.stubEnv("TERM", "xterm-256color");
  for (const name of ["FORCE_COLOR", "NO_COLOR", "CI"]) vi.stubEnv(name, undefined);
  // Node reads the environment in the same way as for a terminal.
  const hasColors = () => WriteStream.prototype.hasColors.call(WriteStream.prototype, 16);
  expect(painter({ isTTY: true, hasColors })("bad", "text")).toBe("\u001b[31mtext\u001b[39m");
  expect(painter({ isTTY: false, hasColors })("bad", "text")).toBe("text");
  expect(painter({})("bad", "text")).toBe("text");
  vi.stubEnv("NO_COLOR", "1");
  expect(painter({ isTTY: true, hasColors })("bad", "text")).toBe("text");
  vi.unstubAllEnvs();
});

test("colours do not shift columns", () => {
  const paint = painter({ isTTY: true, hasColors: () => true });
  const rows = [
    { id: "1", state: "active", at: "now" },
    { id: "22", state: "revoked", at: null },
  ];
  const painted = formatTable(rows, paint);
  expect(painted).not.toBe(formatTable(rows));
  expect(stripVTControlCharacters(painted).replaceAll(/ +$/gm, "")).toBe(formatTable(rows));
});

test("bytes on a terminal show no code of others, and to a file or a pipe they are exact", async () => {
  const csv = 'id,learning\r\n1,"Zürich \u001b[2J\u009b31m"\r\n';
  // A character may come in two pieces.
  const pieces = [Buffer.from(csv).subarray(0, 18), Buffer.from(csv).subarray(18)];
  const writeTo = async (isTTY: boolean) => {
    const written: Array<string | Uint8Array> = [];
    await withStandardOutput(isTTY, written, async () => {
      const { write } = processTerminal();
      for (const piece of pieces) await write(piece);
    });
    return Buffer.concat(written.map((piece) => Buffer.from(piece))).toString();
  };
  expect(await writeTo(false)).toBe(csv);
  expect(await writeTo(true)).toBe('id,learning\r\n1,"Zürich \\u001b[2J\\u009b31m"\r\n');
});

/** Collects what `work` writes to standard output. */
async function withStandardOutput(value: boolean, written: unknown[], work: () => Promise<void>) {
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(text) > 0);
  const isTTY = Object.getOwnPropertyDescriptor(process.stdout, "isTTY");
  Object.defineProperty(process.stdout, "isTTY", { value, configurable: true });
  try {
    await work();
  } finally {
    write.mockRestore();
    if (isTTY) Object.defineProperty(process.stdout, "isTTY", isTTY);
    else Reflect.deleteProperty(process.stdout, "isTTY");
  }
}

test("a message on a terminal keeps the colours of the tool, and no code of others that hides letters", async () => {
  const written: unknown[] = [];
  await withStandardOutput(true, written, async () =>
    processTerminal().out("\u001b[31mred\u001b[39m \u001b[8mhidden\u001b[28m \u001b[7mswapped"),
  );
  expect(written).toEqual(["\u001b[31mred\u001b[39m \\u001b[8mhidden\\u001b[28m \\u001b[7mswapped\n"]);
});
