import type { ResponseOf } from "../lib/client/client.ts";
import { msPerDay } from "../lib/contract/days.ts";
import { isOnly, type Only, onlyValues } from "../lib/contract/only.ts";
import { plural } from "../lib/contract/plural.ts";
import { UsageError } from "../lib/runtime/operator-error.ts";
import type { CommandInput, OptionDefinitions } from "./command.ts";
import { showList } from "./listing.ts";
import { showOnce } from "./show-once.ts";
import type { Terminal } from "./terminal.ts";

/** `tenant_id`, a key's workspace or instance, is known to the operator only. */
type ListedKey = ResponseOf<"listKeys">["keys"][number] & { readonly tenant_id?: string | null };

/** A key without its secret, as every list of keys shows it. */
export const keyRowOf = ({ tenant_id, organizations, ...key }: ListedKey) => ({
  id: key.id,
  kind: key.kind,
  name: key.name,
  bound_to: [tenant_id, organizations?.join(", ")].filter(Boolean).join(": ") || "all",
  owner: key.owner,
  role: key.role,
  state: key.state,
  created_at: key.created_at,
  expires_at: key.expires_at,
  last_used_at: key.last_used_at,
  rotated_at: key.rotated_at,
  old_until: key.old_until,
  old_last_used_at: key.old_last_used_at,
  refused_because: key.refused_because,
  only: key.only?.join(" ") ?? null,
  made_by: key.made_by,
});
export type KeyRow = ReturnType<typeof keyRowOf>;

export const onlyOption: OptionDefinitions = {
  only: {
    value: "LIST",
    help: `what the key may do, comma-separated: ${onlyValues.join(", ")} (default: everything that its kind and role allow)`,
  },
};

export function onlyOf(input: CommandInput): Only[] | undefined {
  const given = input.list("only");
  if (given?.every(isOnly) ?? true) return given?.filter(isOnly);
  throw new UsageError(
    `--only takes values of ${onlyValues.join(", ")}, not ${JSON.stringify(given?.join())}.`,
  );
}

const daysMax = 3_650;

/** Which keys a list shows. */
export const keyFilterOptions: OptionDefinitions = {
  active: { help: "only keys that work: not revoked, expired or refused (refused_because)" },
  "expiring-in": { value: "DAYS", help: "only working keys that expire within so many days" },
  "unused-for": { value: "DAYS", help: "only working keys that nobody has used for so many days" },
};

/** A key that was never used counts from the day it was made. */
export function keyFilter(input: CommandInput, nowMs: number): (key: KeyRow) => boolean {
  const bounds = { min: 1, max: daysMax };
  const expiringIn = input.integer("expiring-in", bounds);
  const unusedFor = input.integer("unused-for", bounds);
  const onlyWorking = input.flag("active") || expiringIn !== undefined || unusedFor !== undefined;
  const dayMs = (days: number) => nowMs + days * msPerDay;
  return ({ state, refused_because, expires_at, last_used_at, created_at }) =>
    (!onlyWorking || (state === "active" && !refused_because)) &&
    (expiringIn === undefined || (expires_at !== null && Date.parse(expires_at) <= dayMs(expiringIn))) &&
    (unusedFor === undefined || Date.parse(last_used_at ?? created_at) <= dayMs(-unusedFor));
}

export function showKeyRows(input: CommandInput, terminal: Terminal, rows: readonly KeyRow[]): void {
  showList(input, terminal, { records: rows, document: { keys: rows }, none: "There are no such keys." });
}

export type IssuedRow = Pick<KeyRow, "id" | "kind" | "name" | "expires_at" | "old_until"> & {
  /** The text of the key. */
  readonly key: string;
  /** Null: the key is new. */
  readonly rotated_at: string | null;
};

/** `next` are the commands that repeat or end what made the key. */
export const showIssuedRow = (
  input: CommandInput,
  terminal: Terminal,
  make: () => Promise<IssuedRow>,
  next: (id: string) => string,
): Promise<void> =>
  showOnce(terminal, async () => {
    const { key, id, kind, name, expires_at, old_until, rotated_at } = await make();
    const ifLost = `Nobody has this value of the ${kind} key ${id}. ${next(id)}`;
    if (input.flag("json")) return { text: JSON.stringify({ key, id, kind, name, expires_at }), ifLost };
    const until = expires_at ? ` and works until ${expires_at}` : "";
    const old = old_until ? ` Its old value works until ${old_until}.` : " Its old value no longer works.";
    const said = `This ${kind} key has the id ${id}${until}. It is shown only once.${rotated_at ? old : ""}`;
    return { text: key, said, ifLost };
  });

export const graceOption: OptionDefinitions = {
  "grace-seconds": {
    value: "N",
    help: "how long the old value still works; 0: it stops now",
    required: true,
  },
};

/** Says which other keys ended with this one: `, and with it 2 keys that it made: k1, k2`. */
export function alsoEnded(id: string, ended: readonly string[] = []): string {
  const others = ended.filter((each) => each !== id);
  if (others.length === 0) return "";
  return `, and with it ${plural(others.length, "key")} that it made: ${others.join(", ")}`;
}
