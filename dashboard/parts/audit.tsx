import { longInstant } from "../days.ts";
import type { AuditEntry } from "../protocol.ts";
import { textColumn } from "../tables.ts";
import { Card, Table } from "./numbers.tsx";

const actorOf = ({ actor }: AuditEntry): string => {
  if (actor.type === "system") return `the ${actor.name ?? "service"}`;
  const name = actor.name ?? actor.id ?? "unknown";
  return actor.key_kind === null ? name : `${name} (${actor.key_kind} key)`;
};

export function AuditLog({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const numbers = {
    name: "audit-entries",
    caption: "Recent audit entries",
    columns: [
      textColumn("created_at", "When", ({ created_at }: AuditEntry) => created_at),
      textColumn("action", "Action", ({ action }: AuditEntry) => action),
      textColumn("actor", "Who", actorOf),
      textColumn("summary", "What", ({ summary }: AuditEntry) => summary),
      textColumn("organization_id", "Organization", ({ organization_id }: AuditEntry) => organization_id),
    ],
    rows: entries,
  };
  return (
    <Card
      title="Recent audit entries"
      definition="The newest first, whatever the period."
      numbers={numbers}
      isTable
      class="table"
    >
      {entries.length === 0 ? (
        <p class="empty">There are none.</p>
      ) : (
        <Table label="Recent audit entries" heads={["When", "Action", "Who", "What"]}>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td>{longInstant(entry.created_at)}</td>
              <td>
                <code>{entry.action}</code>
              </td>
              <td>{actorOf(entry)}</td>
              <td class="text">{entry.summary}</td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
}
