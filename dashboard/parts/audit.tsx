import { longInstant } from "../../lib/report/words.ts";
import type { AuditEntry } from "../protocol.ts";
import { dateColumn, textColumn } from "../tables.ts";
import { TableCard } from "./numbers.tsx";

const actorOf = ({ actor }: AuditEntry): string => {
  if (actor.type === "system") return `the ${actor.name ?? "service"}`;
  const name = actor.email ?? actor.name ?? actor.id ?? "unknown";
  return actor.key_kind === null ? name : `${name} (${actor.key_kind} key)`;
};

const columns = [
  dateColumn("created_at", "When", ({ created_at }: AuditEntry) => created_at, { format: longInstant }),
  textColumn("action", "Action", ({ action }: AuditEntry) => action),
  textColumn("actor", "Who", actorOf),
  {
    ...textColumn("summary", "What", ({ summary, resource_id }: AuditEntry) => summary || resource_id),
    look: "text",
  },
  textColumn("organization_id", "Organization", ({ organization_id }: AuditEntry) => organization_id),
];

export const AuditLog = ({ entries }: { readonly entries: readonly AuditEntry[] }) => (
  <TableCard
    title="Recent audit entries"
    definition="The newest first, whatever the period."
    numbers={{ name: "audit-entries", caption: "Recent audit entries", columns, rows: entries }}
    shown={columns.slice(0, 4)}
  />
);
