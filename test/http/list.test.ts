import { describe, expect, test } from "vitest";
import { listResult, renderCsv } from "../../lib/http/list.ts";

type Row = { a: string | null; b: number; c: string[] };
const columns = [
  { name: "a", cell: (row: Row) => row.a },
  { name: "b", cell: (row: Row) => row.b },
  { name: "c", cell: (row: Row) => row.c },
];
const text = (rows: Row[]) => renderCsv(columns, rows).toString();

describe("CSV", () => {
  test("CSV has a header row, CRLF, empty cells for null and lists as JSON", () => {
    expect(text([{ a: null, b: 1, c: [] }])).toBe("a,b,c\r\n,1,[]\r\n");
    expect(text([])).toBe("a,b,c\r\n");
  });

  test("CSV quotes commas, quote marks and line breaks", () => {
    expect(text([{ a: 'x,"y"\r\nz', b: 0, c: ["p", "q"] }])).toBe(
      'a,b,c\r\n"x,""y""\r\nz",0,"[""p"",""q""]"\r\n',
    );
  });

  test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠A"])(
    "CSV defuses the formula in %j",
    (formula) => {
      const [, row = ""] = text([{ a: formula, b: 1, c: [] }]).split(/\r\n(?=')|,\r\n|c\r\n/);
      expect(row.replace(/^"/, "").startsWith("'")).toBe(true);
    },
  );
});

describe("a page", () => {
  const page = {
    columns,
    records: [{ a: "é😀", b: 1, c: [] }],
    nextCursor: "next",
    resumeCursor: null,
  };

  test("a page has its cursor in a header, and in JSON also in its body", () => {
    expect(listResult({ ...page, format: "json" })).toEqual({
      bytes: Buffer.from('{"data":[{"a":"é😀","b":1,"c":[]}],"next_cursor":"next"}'),
      contentType: "application/json",
      headers: { "x-next-cursor": "next" },
    });
    expect(listResult({ ...page, format: "ndjson" })).toEqual({
      bytes: Buffer.from('{"a":"é😀","b":1,"c":[]}\n'),
      contentType: "application/x-ndjson",
      headers: { "x-next-cursor": "next" },
    });
    expect(listResult({ ...page, format: "csv", nextCursor: null, resumeCursor: "later" })).toMatchObject({
      contentType: "text/csv; charset=utf-8",
      headers: { "x-resume-cursor": "later" },
    });
  });
});
