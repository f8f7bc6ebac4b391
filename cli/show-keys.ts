import type { CommandInput } from "./command.ts";
import { showList } from "./listing.ts";
import type { Terminal } from "./terminal.ts";

/** A key without its secret, as every list of keys shows it. */
export type KeyRow = {
  readonly id: string;
  readonly kind: string;
  readonly name: string | null;
  readonly bound_to: string | null;
  readonly owner: string | null;
  readonly role: string | null;
  readonly state: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
};

export function showKeyRows(
  input: CommandInput,
  terminal: Terminal,
  rows: readonly KeyRow[],
  /** Further fields of the JSON document, beside the keys. */
  more: object = {},
): void {
  showList(input, terminal, { records: rows, document: { keys: rows, ...more }, none: "There are no keys." });
}

export type IssuedRow = Pick<KeyRow, "id" | "kind" | "name" | "expires_at"> & {
  /** The text of the key. */
  readonly key: string;
};

/** Standard output holds only the key, so that a script can store it in a variable. */
export function showIssuedRow(
  input: CommandInput,
  terminal: Terminal,
  { key, id, kind, name, expires_at }: IssuedRow,
): void {
  if (input.flag("json")) {
    terminal.out(JSON.stringify({ key, id, kind, name, expires_at }));
    return;
  }
  terminal.out(key);
  terminal.say(
    `This ${kind} key has the id ${id}${expires_at ? ` and works until ${expires_at}` : ""}. It is shown only once.`,
  );
}

export function showRevoked(input: CommandInput, terminal: Terminal, id: string): void {
  if (input.flag("json")) terminal.out(JSON.stringify({ id, revoked: true }));
  else terminal.say(`Key ${id} is revoked.`);
}
