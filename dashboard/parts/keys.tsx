import type { KeyRecord } from "../protocol.ts";
import { dateColumn, textColumn } from "../tables.ts";
import { TableCard } from "./numbers.tsx";

const columns = [
  textColumn("name", "Name", ({ name, id }: KeyRecord) => name ?? id),
  textColumn("kind", "Kind", ({ kind }: KeyRecord) => kind),
  textColumn("role", "Role", ({ role }: KeyRecord) => role),
  textColumn("owner", "Owner", ({ owner }: KeyRecord) => owner),
  dateColumn("created_at", "Created", ({ created_at }: KeyRecord) => created_at),
  dateColumn("last_used_at", "Last used", ({ last_used_at }: KeyRecord) => last_used_at, { none: "never" }),
  dateColumn("old_until", "Old value until", ({ old_until }: KeyRecord) => old_until, { none: "none" }),
  textColumn("made_by", "Made by", ({ made_by }: KeyRecord) => made_by ?? "operator"),
  dateColumn("expires_at", "Expires", ({ expires_at }: KeyRecord) => expires_at, { none: "never" }),
];

export const Keys = ({ keys }: { readonly keys: readonly KeyRecord[] }) => (
  <TableCard
    title="Keys"
    definition={
      <>
        Keys that work, without their values. <code>npx --no-install review-api keys revoke</code> revokes
        them, with the keys that they made; <code>keys rotate</code> gives your own key a new value.
      </>
    }
    numbers={{ name: "keys", caption: "Keys that work", columns, rows: keys }}
  />
);
