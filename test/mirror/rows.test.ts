import { expect, test } from "vitest";
import { csvRow } from "../../lib/contract/csv-row.ts";
import { readFileRows } from "../../lib/mirror/disk.ts";
import { cellsOf } from "../../lib/mirror/layout.ts";

const cells = [
  ["id", "text"],
  ["1", 'two\nlines, "quoted"'],
  ["2", "three\r\nlines\r\n"],
  ["3", "one"],
];
const file = Buffer.from(cells.map(csvRow).join(""));

/** The file in two pieces, as a disk may return it. */
async function* piecesAt(place: number) {
  yield file.subarray(0, place);
  yield file.subarray(place);
}

test("line breaks inside a CSV cell belong to its row, wherever the file is cut", async () => {
  for (let place = 0; place <= file.length; place++) {
    const rows = await Array.fromAsync(readFileRows(piecesAt(place), true));
    expect([place, rows.map(({ row }) => cellsOf(row.toString()))]).toEqual([place, cells]);
    expect(rows.map(({ at }) => at)).toEqual(
      cells.map((_, index) => Buffer.byteLength(cells.slice(0, index).map(csvRow).join(""))),
    );
  }
});

test("a file whose rows are JSON has a row for each line, whatever its quotes", async () => {
  const rows = await Array.fromAsync(readFileRows(piecesAt(3), false));
  expect(rows).toHaveLength(file.toString().split("\n").length - 1);
});
