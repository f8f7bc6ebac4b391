import { storeAlone } from "./frame/contest.ts";
import type { BenchTable, Cell, Section, SectionName } from "./section.ts";

/** What the page shows of a section: what it means for a user, and one table. All rows stay in the results. */
export type Chapter = {
  readonly meaning: string;
  readonly table: Pick<BenchTable, "columns" | "rows">;
};

export const chapters: Readonly<Record<SectionName, (section: Section) => Chapter>> = {
  "round-trips": (section) => ({
    meaning:
      "A caller waits for these trips one after another, and DynamoDB bills the units. The table shows the least and " +
      "the most of each operation's requests, small and large.",
    table: spread(tableOf(section, "Counts"), "operation", ["trips", "at most", "read units", "write units"]),
  }),
  frame: (section) => {
    const ratios = tableOf(section, "CPU of the chain, as a multiple of a bare handler's");
    const table = tableOf(section, "CPU of the same endpoint, as a multiple of ours");
    const peers = table.rows.filter(([name]) => name !== "ours" && name !== storeAlone);
    return {
      meaning:
        `A request takes ${range(ratios, "of a bare handler on AWS's SDK")} times the CPU of a handler that only makes the ` +
        "same calls. The rest is authentication, scope, validation, plan, permission, rate limit, deadline and log line. " +
        "The same endpoint in other frameworks takes " +
        `${range({ ...table, rows: peers }, "of ours")} times our CPU.`,
      table,
    };
  },
  "cold-start": (section) => {
    const functions = tableOf(section, "Every function against the bare client");
    return {
      meaning:
        "The first request to a new instance of a function waits for the import. A function imports in " +
        `${range(functions, "of bare DynamoDB client")} times the time of AWS's bare DynamoDB client. The table compares ` +
        "one endpoint in several frameworks.",
      table: tableOf(section, "The same endpoint with other frameworks"),
    };
  },
  growth: ({ tables }) => ({
    meaning:
      "A request costs the same in the tenth year as in the first: the cost depends on what the request returns, not " +
      "on what is stored.",
    table: {
      columns: ["request", "stored", "trips", "read units", "write units"],
      rows: tables.flatMap((table) => {
        const stored = table.columns[1] ?? "";
        const { rows } = spread(table, "request", [stored, "trips", "read units", "write units"]);
        return rows.map(([request = "", amount = "", ...costs]) => [
          request,
          `${amount} ${unitOf(table)}`,
          ...costs,
        ]);
      }),
    },
  }),
  export: (section) => {
    const speed = tableOf(section, "Through the whole stack");
    const seconds = speed.rows[0]?.[speed.columns.indexOf("seconds for a million")];
    const against = tableOf(section, "Against a colleague's handler");
    const largest = tableOf(section, "The largest answer");
    return {
      meaning:
        `A page costs ${range(against, "CPU, of the colleague's")} times the CPU of a handler that a careful colleague would ` +
        `write. An export of a million pull requests takes ${seconds} seconds on this machine's engine, if no rate limit slows ` +
        "it down. The largest answer fits into the memory of its function.",
      table: {
        columns: ["what", "measured"],
        rows: [largest, speed].flatMap(({ columns, rows: [row = []], title }) =>
          columns.map((column, index) => [`${title}: ${column}`, row[index] ?? ""]),
        ),
      },
    };
  },
  ingest: (section) => ({
    meaning:
      "Each pull request that the platform reports costs these units. The events of one tenant are processed one after " +
      `another (here ${eventsASecond(section)} a second), those of several tenants in parallel.`,
    table: tableOf(section, "Units per pull request"),
  }),
  search: (section) => ({
    meaning: "A review finds the nearest Learnings, and our own code loses none of them.",
    table: tableOf(section, "Searches"),
  }),
  cost: (section) => {
    const requests = tableOf(section, "Dollars per million requests");
    const stored = tableOf(section, "Dollars per million pull requests");
    return {
      meaning:
        `A million pull requests cost $${range(stored, "written once")} to write and $${range(stored, "stored, a month")} ` +
        "a month to store. The table shows what a million requests of each operation cost, small and large.",
      table: spread(requests, "operation", [
        "total",
        "DynamoDB",
        "Lambda",
        "API Gateway",
        "logs and data out",
      ]),
    };
  },
};

const eventsASecond = (section: Section): Cell => {
  const { columns, rows } = tableOf(section, "Tenants at once");
  return rows[0]?.[columns.indexOf("events a second")] ?? "";
};

function tableOf({ tables }: Section, title: string): BenchTable {
  const table = tables.find((each) => each.title === title);
  if (!table) throw new Error(`The results have no table "${title}".`);
  return table;
}

/** One row for each value of the first column: the least and the most of the others. */
function spread(
  table: BenchTable,
  by: string,
  columns: readonly string[],
): Pick<BenchTable, "columns" | "rows"> {
  const key = table.columns.indexOf(by);
  const groups = Map.groupBy(table.rows, (row) => row[key] ?? "");
  return {
    columns: [by, ...columns],
    rows: [...groups].map(([name, rows]) => [
      name,
      ...columns.map((column) => range({ ...table, rows }, column)),
    ]),
  };
}

function range({ columns, rows }: BenchTable, column: string): string {
  const numbers = rows.map((row) => numberOf(row[columns.indexOf(column)] ?? ""));
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)].map((each) =>
    each.toLocaleString("en-US"),
  );
  return least === most ? `${least}` : `${least} to ${most}`;
}

/** A missed count is in bold: `**4**`. */
function numberOf(cell: Cell): number {
  const number = Number(String(cell).replaceAll("*", ""));
  if (cell === "" || Number.isNaN(number)) throw new Error(`"${cell}" is not a number.`);
  return number;
}

/** "Learnings, by stored Learnings" is about Learnings; a table without "by" is about pull requests. */
const unitOf = ({ title }: BenchTable): string =>
  /, by (?:stored )?(.*?)(?: of a workspace)?$/.exec(title)?.[1] ?? "pull requests";
