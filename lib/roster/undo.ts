import { rm, writeFile } from "node:fs/promises";
import { csvRow } from "../contract/csv-row.ts";
import { groupBy } from "../report/group-by.ts";
import { OperatorError, systemCode, unwritable } from "../runtime/operator-error.ts";
import type { Batch, Undo } from "./plan.ts";

/** The file that undoes the plan, a row for each person; undefined if the plan changes nothing. */
export function undoFile(batches: readonly Batch[]): string | undefined {
  const changed = batches.flat().filter(({ step }) => step.outcome !== "fails");
  if (changed.length === 0) return undefined;
  const people = [...groupBy(changed, ({ step }) => step.line)].toSorted(([one], [other]) => one - other);
  const rows = people.map(([, steps]) => {
    const row: Undo = Object.assign({}, ...steps.map(({ undo }) => undo));
    return csvRow([row.email, row.user_id, row.seat ?? "", row.role ?? ""]);
  });
  return `email,user_id,seat,role\r\n${rows.join("")}`;
}

/** A new file: nothing may be changed before it is on the disk. */
export async function writeUndo(file: string, content: string): Promise<void> {
  await writeFile(file, content, { flag: "wx", mode: 0o600, flush: true }).catch(async (error: unknown) => {
    const code = systemCode(error);
    const hint = "Nothing was changed; --undo FILE names another file.";
    if (code === "EEXIST") throw new OperatorError(`${file} exists. ${hint}`);
    await rm(file, { force: true });
    throw code === undefined ? error : new OperatorError(`${unwritable(file, code).message} ${hint}`);
  });
}
