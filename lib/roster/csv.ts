import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { readFileRows } from "../mirror/disk.ts";
import { cellsOf, withoutGuard } from "../mirror/layout.ts";
import { OperatorError, unreadable } from "../runtime/operator-error.ts";

/** What a row of the file asks for one person. */
export type Wish = {
  readonly line: number;
  readonly email: string;
  readonly userId: string;
  readonly seat: "assign" | "unassign" | undefined;
  /** A role's id or name; undefined: leave it. */
  readonly role: string | undefined;
};

const columns = ["email", "user_id", "seat", "role"] as const;
const seats: Readonly<Record<string, Wish["seat"]>> = { yes: "assign", no: "unassign", "": undefined };

/** Every problem of the file in one error, by line: nothing is done with a file that is not understood. */
export async function readWishes(file: string): Promise<readonly Wish[]> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw unreadable(file, error, " Name a CSV file with a row for each person.");
  });
  const rows = [];
  let line = 1;
  for await (const { row } of readFileRows(Readable.from([bytes]), true)) {
    const text = row.toString().replace(/^\uFEFF/, "");
    rows.push({ line, cells: cellsOf(text).map((cell) => withoutGuard(cell.trim()).trim()) });
    line += text.split("\n").length;
  }
  const [header, ...people] = rows;
  const names = header?.cells.map((name) => name.toLowerCase()) ?? [];
  const unknown = names.filter(
    (name, index) => !columns.some((column) => column === name) || names.indexOf(name) < index,
  );
  const has = (name: (typeof columns)[number]) => names.includes(name);
  if (unknown.length > 0 || !(has("email") || has("user_id")) || !(has("seat") || has("role")))
    throw new OperatorError(
      `${file} must begin with a line of column names, separated by commas: email or user_id, and seat or role, each once and no others. ` +
        `It has ${names.map((name) => JSON.stringify(name)).join(", ") || "none"}.`,
    );
  const problems: string[] = [];
  const wishes = people
    .filter(({ cells }) => cells.some((cell) => cell !== ""))
    .map(({ line: at, cells }) => {
      const cell = (name: (typeof columns)[number]) => (has(name) ? (cells[names.indexOf(name)] ?? "") : "");
      const seat = cell("seat").toLowerCase();
      if (cells.length !== names.length)
        problems.push(`Line ${at}: has ${cells.length} cells, not ${names.length}.`);
      if (!Object.hasOwn(seats, seat))
        problems.push(`Line ${at}: seat takes yes, no or nothing, not ${JSON.stringify(seat)}.`);
      if (cell("email") === "" && cell("user_id") === "") problems.push(`Line ${at}: names nobody.`);
      const role = cell("role") || undefined;
      return { line: at, email: cell("email"), userId: cell("user_id"), seat: seats[seat], role };
    });
  if (problems.length > 0) throw new OperatorError([...problems, "Nothing was changed."].join("\n"));
  return wishes;
}
