import { plural } from "../../lib/contract/plural.ts";
import { formatCount } from "../../lib/report/words.ts";
import { findingAges, type SecurityFigures } from "../figures/security.ts";
import { countColumn, textColumn } from "../tables.ts";
import { Card, Table } from "./numbers.tsx";

type CountRow = SecurityFigures["counts"][number];

const title = "Open security findings by severity and age";
const columns = [
  textColumn("severity", "Severity", ({ severity }: CountRow) => severity),
  countColumn("open", "Open", ({ open }: CountRow) => open),
  ...findingAges.map(({ name }, age) =>
    countColumn(name.replaceAll(" ", "_"), name, ({ ages }: CountRow) => ages[age] ?? 0),
  ),
];

export const Security = ({ figures: { open, counts, first } }: { readonly figures: SecurityFigures }) => (
  <Card
    title="Open security findings"
    definition="By severity and age, of all findings that are open now. A finding is as old as the first scan that had it."
    numbers={{ name: "open-security-findings", caption: title, columns, rows: counts }}
    isTable
  >
    <p class="sum">
      <strong>{formatCount(open)}</strong> open
    </p>
    <Ages counts={counts} />
    {first.length > 0 && (
      <details>
        <summary>The worst and oldest</summary>
        <ul class="findings">
          {first.map((finding) => (
            <Finding key={finding.id} {...finding} />
          ))}
        </ul>
      </details>
    )}
  </Card>
);

function Ages({ counts }: Pick<SecurityFigures, "counts">) {
  const most = Math.max(1, ...counts.flatMap(({ ages }) => ages));
  const look = (count: number) =>
    count === 0 ? "heat-none" : `warm-${Math.max(1, Math.round((count / most) * 3))}`;
  const shown = [
    { head: "Severity", cell: ({ severity }: CountRow) => <Severity name={severity} /> },
    ...findingAges.map(({ name }, age) => ({
      head: name,
      look: ({ ages }: CountRow) => look(ages[age] ?? 0),
      cell: ({ ages }: CountRow) => (ages[age] ? <b>{formatCount(ages[age])}</b> : "0"),
    })),
  ];
  return <Table label={title} class="heat ages" columns={shown} rows={counts} />;
}

const Severity = ({ name }: { readonly name: string }) => <span class={`severity ${name}`}>{name}</span>;

const Finding = (finding: SecurityFigures["first"][number]) => (
  <li>
    <Severity name={finding.severity} />
    <div>
      <b>{finding.title}</b>
      <small>
        {finding.repository} · {finding.file_path}:{finding.start_line}
        {finding.cwe !== null && ` · ${finding.cwe}`} · open for {plural(finding.days, "day")}
      </small>
    </div>
  </li>
);
