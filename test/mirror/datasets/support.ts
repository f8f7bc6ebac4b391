import { readFileSync } from "node:fs";
import * as z from "zod";
import { type Dataset, type DatasetName, datasetNamed } from "../../../lib/mirror/datasets/datasets.ts";
import type { RecordFields } from "../../../lib/mirror/layout.ts";

const recorded = z.object({
  operations: z.record(
    z.string(),
    z.object({
      exchanges: z.array(z.object({ answer: z.object({ body: z.unknown().optional() }).optional() })),
    }),
  ),
});
const page = z.object({ data: z.array(z.record(z.string(), z.unknown())).min(1) });
const { operations } = recorded.parse(
  JSON.parse(readFileSync(new URL("../../../docs/examples.json", import.meta.url), "utf8")),
);

/** A record that the API has answered, and the same with null wherever that is allowed. */
export function recordsOf(name: DatasetName): {
  readonly dataset: Dataset;
  readonly records: RecordFields[];
} {
  const dataset = datasetNamed(name);
  const row = rows[name];
  if (row) return withEmpty(dataset, row);
  const pages = (operations[dataset.operation]?.exchanges ?? []).flatMap(({ answer }) => {
    const parsed = page.safeParse(answer?.body);
    return parsed.success ? [parsed.data] : [];
  });
  const record = pages[0]?.data[0];
  if (!record) throw new Error(`There is no example of ${name}.`);
  return withEmpty(dataset, record);
}

/** Rows that the tool makes from what the API answers. */
const rows: Partial<Record<DatasetName, RecordFields>> = {
  teams: { provider: "github", organization_id: "1", team_id: "t", name: "Core", user_ids: ["u1", "u2"] },
  people: {
    provider: "github",
    organization_id: "1",
    user_id: "u1",
    username: "ada",
    email: "ada@acme.example",
    seat_assigned: true,
    role: "cr_admin",
  },
  repositories: {
    provider: "github",
    organization_id: "1",
    repository_id: "9",
    id: "00000000-0000-4000-8000-000000000001",
    name: "web",
    full_name: "acme/web",
    private: true,
    url: "https://github.example/acme/web",
  },
};

function withEmpty(dataset: Dataset, record: RecordFields) {
  const empty = Object.fromEntries(
    dataset.columns.map(({ name: column, isNullable }) => [
      column,
      isNullable && !dataset.key.includes(column) ? null : record[column],
    ]),
  );
  const [thing = ""] = dataset.key.slice(-1);
  // A text with everything that breaks a naive loader.
  return { dataset, records: [record, { ...empty, [thing]: 'x"\\y\n\u0001,\u2028\u{1f600}' }] };
}

export const ndjson = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");
