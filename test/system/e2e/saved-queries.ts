import * as z from "zod";
import { ofType, type StackTemplate } from "../infra/support.ts";

const querySchema = z.object({
  Name: z.unknown(),
  LogGroupNames: z.tuple([z.object({ Ref: z.string() })]),
  QueryString: z.string(),
});

/** What the language of Logs Insights itself means by these words. */
const language = new Set([
  ...["fields", "filter", "stats", "sort", "limit", "count", "as", "by", "or", "and", "asc", "desc"],
  // Every line has these.
  ...["@timestamp", "@message"],
]);

export type SavedQuery = { readonly logGroup: string; readonly fields: readonly string[] };

/** The saved queries of the stack: the log group that each one searches, and the fields that it names. */
export const savedQueries = (template: StackTemplate): readonly SavedQuery[] =>
  ofType(template, "AWS::Logs::QueryDefinition").map(([, { Properties }]) => {
    const { LogGroupNames, QueryString } = querySchema.parse(Properties);
    const text = QueryString.replaceAll(/"[^"]*"/g, "");
    const aliases = [...text.matchAll(/\bas (\w+)/g)].map(([, alias]) => alias);
    const words = text.match(/@?\b[A-Za-z_]\w*/g) ?? [];
    const fields = words.filter((word) => !language.has(word) && !aliases.includes(word));
    return { logGroup: LogGroupNames[0].Ref, fields: [...new Set(fields)] };
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
