import { longDay } from "../days.ts";
import type { KeyRecord } from "../protocol.ts";
import { textColumn } from "../tables.ts";
import { TableCard } from "./numbers.tsx";

const day = (time: string | null, none: string): string => (time === null ? none : longDay(time));

const columns = [
  textColumn("name", "Name", ({ name, id }: KeyRecord) => name ?? id),
  textColumn("kind", "Kind", ({ kind }: KeyRecord) => kind),
  textColumn("role", "Role", ({ role }: KeyRecord) => role),
  textColumn("owner", "Owner", ({ owner }: KeyRecord) => owner),
  textColumn("created_at", "Created", ({ created_at }: KeyRecord) => longDay(created_at)),
  textColumn("last_used_at", "Last used", ({ last_used_at }: KeyRecord) => day(last_used_at, "never")),
  textColumn("old_until", "Old value until", ({ old_until }: KeyRecord) => day(old_until, "none")),
  textColumn("made_by", "Made by", ({ made_by }: KeyRecord) => made_by ?? "operator"),
  textColumn("expires_at", "Expires", ({ expires_at }: KeyRecord) => day(expires_at, "never")),
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
