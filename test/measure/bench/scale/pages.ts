import type { StackTemplate } from "../../../system/infra/support.ts";
import { pricesOf } from "../cost/prices.ts";
import { assumptionTable, quotaTable } from "./assumptions.ts";
import { coldTable, warmTable } from "./cold-starts.ts";
import { billTable, bottlenecks, largestTable, streamTable, vectorTable } from "./figures.ts";
import { monthlyPrices, priceTable } from "./monthly-prices.ts";
import { requestTable } from "./requests.ts";
import {
  idleMetrics,
  idleWorkersDollars,
  type ResourceCost,
  resourceCosts,
  usedMetrics,
} from "./resources.ts";

type Row = Readonly<Record<string, string | number>>;

const cell = (value: string | number | undefined): string => String(value ?? "").replaceAll("|", "\\|");
const markdown = (rows: readonly Row[]): string => {
  const columns = Object.keys(rows[0] ?? {});
  const lines = [
    columns,
    columns.map(() => "---"),
    ...rows.map((row) => columns.map((column) => cell(row[column]))),
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
};
const dollars = (value: number): string => value.toFixed(2);

export type Templates = { readonly plain: StackTemplate; readonly full: StackTemplate };

/** The monthly cost without any calls, from every resource of the template. */
export function idleDollars(template: StackTemplate): number {
  const fixed = resourceCosts(template).reduce(
    (sum, { monthly }) => sum + (typeof monthly === "number" ? monthly : 0),
    0,
  );
  return fixed + idleWorkersDollars() + idleMetrics * monthlyPrices.customMetric.dollars;
}

/** The cost that use adds per month, whatever its volume. */
export const moreMetricsDollars = (usedMetrics - idleMetrics) * monthlyPrices.customMetric.dollars;

function idleTable({ plain, full }: Templates): readonly Row[] {
  const costs = (template: StackTemplate) =>
    new Map(resourceCosts(template).map((each) => [each.type, each]));
  const [plainCosts, fullCosts] = [costs(plain), costs(full)];
  const shown = (monthly: number | string | undefined) =>
    typeof monthly === "number" ? dollars(monthly) : (monthly ?? "–");
  // The number of the others follows from the number of operations, and no price follows from it.
  const inStack = (cost: ResourceCost | undefined) =>
    cost === undefined ? "no" : typeof cost.monthly === "number" ? cost.count : "yes";
  const rows = [...fullCosts.keys()].map((type) => ({
    resource: `\`${type}\``,
    "in the stack": inStack(plainCosts.get(type)),
    "$ a month": shown(plainCosts.get(type)?.monthly),
    "with every option": shown(fullCosts.get(type)?.monthly),
  }));
  const extra = (resource: string, value: number) => ({
    resource,
    "in the stack": "",
    "$ a month": dollars(value),
    "with every option": dollars(value),
  });
  return [
    ...rows,
    extra("runs of the scheduled workers (assumed 40 ms each)", idleWorkersDollars()),
    extra(
      `custom metrics of an idle stack (${idleMetrics})`,
      idleMetrics * monthlyPrices.customMetric.dollars,
    ),
    {
      resource: "**in all**",
      "in the stack": "",
      "$ a month": dollars(idleDollars(plain)),
      "with every option": dollars(idleDollars(full)),
    },
    extra(`added by use: custom metrics (${usedMetrics - idleMetrics})`, moreMetricsDollars),
  ];
}

/** The tables of both pages, by the names of their marks. */
const tables: Readonly<Record<string, () => readonly Row[]>> = {
  requests: requestTable,
  prices: priceTable,
  assumptions: assumptionTable,
  quotas: quotaTable,
  vectors: vectorTable,
  cold: coldTable,
  warm: warmTable,
  first: bottlenecks,
  stream: streamTable,
  largest: largestTable,
};
const tablesOfTemplates: Readonly<Record<string, (templates: Templates) => readonly Row[]>> = {
  idle: idleTable,
  bill: ({ plain }) => billTable({ idle: idleDollars(plain), metrics: moreMetricsDollars }),
};

export const pages = ["docs/operate/cost.md", "docs/operate/scale.md"] as const;

/** A page with its current tables; its prose stays, and without templates also the tables that need them. */
export function pageWithTables(text: string, templates?: Templates): string {
  const marks = [...text.matchAll(/<!-- (\w+): npm run scale -->/g)].map(([, name = ""]) => name);
  if (marks.length === 0) throw new Error("The page has no place for a table.");
  return marks.reduce(
    (page, name) => {
      const ofTemplates = tablesOfTemplates[name];
      if (ofTemplates && !templates) return page;
      const rows = templates && ofTemplates ? ofTemplates(templates) : tables[name]?.();
      if (!rows) throw new Error(`There is no table ${name}.`);
      const place = new RegExp(`(<!-- ${name}: npm run scale -->\n).*?(<!-- end of ${name} -->)`, "s");
      return page.replace(place, (_, start: string, end: string) => `${start}\n${markdown(rows)}\n\n${end}`);
    },
    text.replaceAll("PRICES_OF", pricesOf),
  );
}

/** With every option that adds a resource. */
export const fullOptions = {
  waf: true,
  customerManagedKey: true,
  alarmEmail: "ops@example.com",
  domainName: "api.example.com",
  certificateArn: "arn:aws:acm:eu-west-1:111122223333:certificate/0a1b",
  hostedZoneId: "Z0ABC",
  tracing: true,
} as const;
