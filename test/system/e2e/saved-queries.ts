import * as z from "zod";
import { ofType, properties, type StackTemplate } from "../infra/support.ts";
import type { Deployment } from "./deployment.ts";

const refSchema = z.object({ Ref: z.string() });
const querySchema = z.object({
  Name: z.string(),
  LogGroupNames: z.array(refSchema).min(1),
  QueryString: z.string(),
});

/** What the language of Logs Insights itself means by these words. */
const language = new Set([
  ...["fields", "filter", "stats", "sort", "limit", "count", "as", "by", "or", "and", "asc", "desc"],
  // Every line has these.
  ...["@timestamp", "@message"],
]);

export type SavedQuery = {
  /** Without the stack's name. */
  readonly name: string;
  readonly logGroups: readonly string[];
  readonly fields: readonly string[];
  readonly text: string;
};

/** The saved queries of the stack: the log groups that each one searches, and the fields that it names. */
export const savedQueries = (template: StackTemplate): readonly SavedQuery[] =>
  ofType(template, "AWS::Logs::QueryDefinition").map(([, { Properties }]) => {
    const { Name, LogGroupNames, QueryString } = querySchema.parse(Properties);
    const text = QueryString.replaceAll(/"[^"]*"/g, "");
    const aliases = [...text.matchAll(/\bas (\w+)/g)].map(([, alias]) => alias);
    const words = text.match(/@?\b[A-Za-z_]\w*/g) ?? [];
    const fields = words.filter((word) => !language.has(word) && !aliases.includes(word));
    return {
      name: Name.split("/").at(-1) ?? "",
      logGroups: LogGroupNames.map(({ Ref }) => Ref),
      fields: [...new Set(fields)],
      text: QueryString,
    };
  });

const stageSchema = z.object({ AccessLogSetting: z.object({ Format: z.string() }) });

/** The fields of the gateway's access log. */
export const accessLogFields = (template: StackTemplate): readonly string[] =>
  ofType(template, "AWS::ApiGateway::Stage").flatMap(([, { Properties }]) =>
    Object.keys(
      z
        .record(z.string(), z.unknown())
        .parse(JSON.parse(stageSchema.parse(Properties).AccessLogSetting.Format)),
    ),
  );

const lineSchema = z.record(z.string(), z.unknown());
type Line = z.output<typeof lineSchema>;
const loggingSchema = z.object({ LoggingConfig: z.object({ LogGroup: refSchema }) });

/**
 * The JSON lines that this deployment has written, in the log groups of the template. CloudWatch adds `@timestamp`;
 * here no line has it, so an order by time is not checked.
 */
function linesIn({ template, functions, gateway }: Deployment, logGroups: readonly string[]): Line[] {
  const own = [...functions].filter(([id]) => {
    const { LoggingConfig } = loggingSchema.parse(properties(template, id));
    return logGroups.includes(LoggingConfig.LogGroup.Ref);
  });
  const texts = own.flatMap(([, { log }]) => log.join("").split("\n"));
  const access = logGroups.includes("AccessLogs") ? gateway.accessLog : [];
  return [...texts, ...access]
    .filter((text) => text.startsWith("{"))
    .map((text) => ({ "@message": text, ...lineSchema.parse(JSON.parse(text)) }));
}

/** What a saved query of the stack finds in the lines of this deployment, with these words replaced. */
export function runSavedQuery(
  deployment: Deployment,
  name: string,
  replaced: Readonly<Record<string, string>> = {},
): readonly Line[] {
  const query = savedQueries(deployment.template).find((each) => each.name === name);
  if (!query) throw new Error(`There is no saved query "${name}".`);
  const text = Object.entries(replaced).reduce(
    (now, [word, value]) => now.replaceAll(word, value),
    query.text,
  );
  const steps = text.split("\n| ").map((step) => parts(step, /^(\w+) (.*)$/));
  const rows = steps.reduce<readonly Line[]>(
    (found, [command = "", rest = ""]) => {
      const run = commands[command];
      if (!run) throw new Error(`Logs Insights' ${command} is not simulated here.`);
      return run(found, rest);
    },
    linesIn(deployment, query.logGroups),
  );
  // A step may use fields that are not shown, so they are left out last.
  const shown = steps.find(([command]) => command === "fields")?.[1]?.split(", ");
  return shown ? rows.map((row) => Object.fromEntries(shown.map((field) => [field, row[field]]))) : rows;
}

/** The part of Logs Insights that the saved queries use. Anything else is an error. */
const commands: Readonly<Record<string, (rows: readonly Line[], rest: string) => readonly Line[]>> = {
  fields: (rows) => rows,
  filter: (rows, rest) => rows.filter((row) => rest.split(" or ").some((condition) => holds(condition, row))),
  stats(rows, rest) {
    const [alias = "", by = ""] = parts(rest, /^count\(\*\) as (\w+) by (.+)$/);
    const groups = Map.groupBy(rows, (row) =>
      JSON.stringify(by.split(", ").map((field) => [field, row[field]])),
    );
    return [...groups].map(([key, { length }]) => ({
      ...Object.fromEntries(JSON.parse(key)),
      [alias]: length,
    }));
  },
  sort(rows, rest) {
    const [field = "", order] = parts(rest, /^(@?\w+) (asc|desc)$/);
    const sorted = rows.toSorted((one, other) => rank(one[field]) - rank(other[field]));
    return order === "desc" ? sorted.toReversed() : sorted;
  },
  limit: (rows, rest) => rows.slice(0, Number(rest)),
};

/** Numbers in the form of text are numbers too; everything else is before all numbers. */
const rank = (value: unknown): number => (/^\d+$/.test(String(value)) ? Number(value) : -1);

function holds(condition: string, row: Line): boolean {
  const [field = "", operator, text, number] = parts(condition, /^(@?\w+) (=|>=) (?:"([^"]*)"|(\d+))$/);
  return operator === "=" ? row[field] === text : Number(row[field]) >= Number(number);
}

function parts(text: string, form: RegExp): readonly string[] {
  const [, ...found] = form.exec(text) ?? [];
  if (found.length === 0) throw new Error(`"${text}" is not simulated here.`);
  return found;
}
