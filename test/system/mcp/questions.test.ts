import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, expect, test } from "vitest";
import { createClient } from "../../../lib/client/client.ts";
import { markdownTable } from "../../../lib/generate/marked-parts.ts";
import { lastDays } from "../../../lib/report/period.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { required } from "../../../lib/runtime/required.ts";
import { readingOf } from "../../mcp/serve.ts";
import { useService } from "../../support/service.ts";

/** Questions of three people, answered by tools alone and by SQL over the export of the same world. */

const service = useService({ demo: true });
/** Whole days that have passed: the demo's events of today go on while the test runs. */
const period = lastDays(28, systemClock.nowMs() - 24 * 60 * 60 * 1000);
const kind = "organization";

let sql: DuckDBConnection;
let client: Client;
beforeAll(async () => {
  const key = required(service().keys[kind], "demo key");
  client = new Client({ name: "test", version: "1.0.0" });
  const headers = { "x-service-api-key": key };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${service().url}/mcp`), { requestInit: { headers } }),
  );
  const api = createClient({ baseUrl: service().url, key });
  sql = await (await DuckDBInstance.create()).connect();
  await sql.run("SET TimeZone = 'UTC'");
  const load = async (table: string, records: readonly object[]) => {
    const file = join(service().home, `${table}.ndjson`);
    await writeFile(file, records.map((each) => `${JSON.stringify(each)}\n`).join(""));
    await sql.run(
      `CREATE TABLE ${table} AS SELECT * FROM read_json('${file}', format = 'newline_delimited', sample_size = -1)`,
    );
  };
  const all = async <Body, Row>(
    pages: AsyncIterable<{ body: Body }>,
    rows: (body: Body) => readonly Row[],
  ) => {
    const found: Row[] = [];
    for await (const { body } of pages) found.push(...rows(body));
    return found;
  };
  const year = { query: { ...lastDays(365, systemClock.nowMs()), limit: 1000 } };
  await load("reviews", await all(api.pages("listReviewMetrics", year), ({ data }) => data));
  const comments = await all(api.pages("listReviewCommentMetrics", year), ({ data }) => data);
  await load(
    "findings",
    comments.flatMap(({ coderabbit_comments: list, ...pullRequest }) =>
      list.map((each) => ({ ...each, pr_url: pullRequest.pr_url, merged_at: pullRequest.merged_at })),
    ),
  );
  await load("learnings", await all(api.pages("listLearnings"), ({ data }) => data));
  await load("users", await all(api.pages("listUsers"), ({ users }) => users));
  await load("teams", await all(api.pages("listTeams"), ({ teams }) => teams));
  await load("audit", await all(api.pages("listAuditLogs"), ({ data }) => data));
  const everyState = { query: { state: "all" } } as const;
  await load("security", await all(api.pages("listSecurityFindings", everyState), ({ data }) => data));
  await sql.run(`CREATE VIEW merged AS SELECT *, coalesce(ready_for_review_at, created_at)::TIMESTAMP AS ready
    FROM reviews WHERE merged_at::DATE BETWEEN '${period.start_date}' AND '${period.end_date}'`);
  const days30 = systemClock.nowMs() - 30 * 24 * 60 * 60 * 1000;
  const since = { query: { ...lastDays(31, systemClock.nowMs()), status: "all", limit: 1000 } } as const;
  const ended = await all(api.pages("listReviewMetrics", since), ({ data }) => data);
  await load(
    "closed",
    ended.filter(
      ({ merged_at, closed_at }) => Date.parse(merged_at ?? closed_at ?? "") >= days30 - 24 * 60 * 60 * 1000,
    ),
  );
  await sql.run(`CREATE VIEW posted AS SELECT findings.*, merged.repository_name FROM findings
    JOIN merged ON merged.pr_url = findings.pr_url`);
});

type Call = readonly [tool: string, args?: object];
type Question = {
  readonly who: "manager" | "administrator" | "security engineer";
  readonly question: string;
  readonly calls: readonly Call[];
  /** The answer in the contents of the calls: rows of values, as SQL returns them. */
  readonly answer: (...contents: unknown[]) => unknown;
  readonly sql: string;
};
/** What a model reads has no types: a wrong place is undefined, and differs from the answer of SQL. */
const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (inner, step) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, step) : undefined),
      value,
    );
const list = (value: unknown, path: string): unknown[] => {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
};
const rowsOf = (content: unknown, path: string, ...fields: string[]) =>
  list(content, path).map((row) => fields.map((field) => at(row, field)));
const first = (content: unknown, path: string, ...fields: string[]) =>
  rowsOf(content, path, ...fields).slice(0, 1);
const report = (args: object = {}): Call => ["review_report", { ...period, limit: 100, ...args }];
const find = (args: object): Call => ["find_pull_requests", { ...period, limit: 100, ...args }];
const minutes = (from: string, to: string) => `date_diff('millisecond', ${from}, ${to}) / 60000.0`;

const questions: readonly Question[] = [
  {
    who: "manager",
    question: "How many pull requests were merged in four weeks?",
    calls: [report()],
    answer: (it) => [[at(it, "total.pull_requests")]],
    sql: "SELECT count(*) FROM merged",
  },
  {
    who: "manager",
    question: "And in the four weeks before?",
    calls: [report()],
    answer: (it) => [[at(it, "before.total.pull_requests")]],
    sql: `SELECT count(*) FROM reviews WHERE merged_at::DATE >= DATE '${period.start_date}' - 28 AND merged_at::DATE < '${period.start_date}'`,
  },
  {
    who: "manager",
    question: "Which repository is the busiest?",
    calls: [report({ sort: "pull_requests" })],
    answer: (it) => first(it, "rows", "name", "figures.pull_requests"),
    sql: "SELECT repository_name, count(*) FROM merged GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1",
  },
  {
    who: "manager",
    question: "What share of findings is accepted?",
    calls: [report()],
    answer: (it) => [[at(it, "total.findings.acceptance")]],
    sql: "SELECT round(count(*) FILTER (accepted) / count(*) FILTER (accepted IS NOT NULL), 3) FROM posted",
  },
  {
    who: "manager",
    question: "How long until the first human review, median?",
    calls: [report()],
    answer: (it) => [[at(it, "total.time_to_first_human_review.median_minutes")]],
    sql: `SELECT round(median(greatest(0, ${minutes("ready", "first_human_review_at::TIMESTAMP")})), 3) FROM merged WHERE first_human_review_at IS NOT NULL`,
  },
  {
    who: "manager",
    question: "How long do nine of ten merges take at most?",
    calls: [report()],
    answer: (it) => [[at(it, "total.time_to_merge.p90_minutes")]],
    sql: `SELECT round(quantile_cont(greatest(0, ${minutes("ready", "merged_at::TIMESTAMP")}), 0.9), 3) FROM merged`,
  },
  {
    who: "manager",
    question: "How many pull requests did no person review?",
    calls: [find({ find: "no-review" })],
    answer: (it) => [[at(it, "count")]],
    sql: "SELECT count(*) FROM merged WHERE first_human_review_at IS NULL",
  },
  {
    who: "manager",
    question: "Pull requests of each week",
    calls: [report({ by: "week" })],
    answer: (it) => rowsOf(it, "rows", "id", "figures.pull_requests").filter(([, count]) => count !== 0),
    sql: "SELECT date_trunc('week', merged_at::TIMESTAMP)::DATE::VARCHAR, count(*) FROM merged GROUP BY 1 ORDER BY 1",
  },
  {
    who: "manager",
    question: "How many pull requests did the team Checkout merge?",
    calls: [report({ team: "checkout" })],
    answer: (it) => [[at(it, "total.pull_requests")]],
    sql: "SELECT count(*) FROM merged WHERE author_id IN (SELECT unnest(user_ids)::VARCHAR FROM teams WHERE name = 'Checkout')",
  },
  {
    who: "manager",
    question: "How many pull requests did ada and ben merge in acme-web/storefront and in checkout?",
    calls: ["ada", "ben"].map((author) =>
      report({ author, repository_ids: ["acme-web/storefront", "checkout"] }),
    ),
    answer: (...both) => [both.map((it) => at(it, "total.pull_requests"))],
    sql: "SELECT count(*) FILTER (author_username = 'ada'), count(*) FILTER (author_username = 'ben') FROM merged WHERE repository_full_name IN ('acme-web/storefront', 'acme-web/checkout')",
  },
  {
    who: "manager",
    question: "Which team merged the most?",
    calls: [report({ by: "team" })],
    answer: (it) =>
      rowsOf(it, "rows", "name", "figures.pull_requests").filter(([name]) => name !== "no team"),
    sql: "SELECT teams.name, count(*) FROM merged JOIN teams ON list_contains(teams.user_ids::VARCHAR[], merged.author_id) GROUP BY 1 ORDER BY 2 DESC, 1",
  },
  {
    who: "manager",
    question: "How many pull requests are left without bots?",
    calls: [report({ without_bots: true })],
    answer: (it) => [[at(it, "total.pull_requests")]],
    sql: "SELECT count(*) FROM merged WHERE author_type IS DISTINCT FROM 'bot'",
  },
  {
    who: "administrator",
    question: "Which members have a seat?",
    calls: [["list_users", { seat_filter: "assigned", limit: 100 }]],
    answer: (it) => rowsOf(it, "users", "username").toSorted(),
    sql: "SELECT username FROM users WHERE seat_assigned ORDER BY 1",
  },
  {
    who: "administrator",
    question: "Who is an admin?",
    calls: [["list_users", { role_filter: "admin", limit: 100 }]],
    answer: (it) => rowsOf(it, "users", "username").toSorted(),
    sql: "SELECT username FROM users WHERE role = 'cr_admin' ORDER BY 1",
  },
  {
    who: "administrator",
    question: "Who has held a seat for 30 days without a merged or closed pull request?",
    calls: [["find_idle_seats", { days: 30, limit: 100 }]],
    answer: (it) => rowsOf(it, "idle", "username").toSorted(),
    sql: `SELECT username FROM users WHERE seat_assigned
      AND user_id::VARCHAR NOT IN (SELECT author_id::VARCHAR FROM closed WHERE author_id IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM audit WHERE action = 'seats.assigned' AND created_at::TIMESTAMP >= now()::TIMESTAMP - INTERVAL 30 DAY
        AND contains(metadata::VARCHAR, '"' || user_id || '"')) ORDER BY 1`,
  },
  {
    who: "administrator",
    question: "How often were seats given or taken?",
    calls: [["list_audit_logs", { actions: ["seats.assigned", "seats.unassigned"], limit: 100 }]],
    answer: (it) => [[list(it, "data").length]],
    sql: "SELECT count(*) FROM audit WHERE action IN ('seats.assigned', 'seats.unassigned')",
  },
  {
    who: "administrator",
    question: "Which teams are there?",
    calls: [["list_teams", { limit: 100 }]],
    answer: (it) => rowsOf(it, "teams", "name").toSorted(),
    sql: "SELECT name FROM teams ORDER BY 1",
  },
  {
    who: "administrator",
    question: "How many Learnings were never used?",
    calls: [["list_learnings", { stat_filter: "never_used", limit: 1000 }]],
    answer: (it) => [[list(it, "data").length]],
    sql: "SELECT count(*) FROM learnings WHERE usage_count = 0",
  },
  {
    who: "security engineer",
    question: "Which repositories had the most critical findings in reviews?",
    calls: [report({ severity: "critical" })],
    answer: (it) => rowsOf(it, "rows", "name", "figures.findings.posted"),
    sql: "SELECT repository_name, count(*) FROM posted WHERE severity = 'critical' GROUP BY 1 ORDER BY 2 DESC, count(DISTINCT pr_url) DESC, 1",
  },
  {
    who: "security engineer",
    question: "How many findings about security and privacy were not accepted?",
    calls: [report({ category: "security_and_privacy" })],
    answer: (it) => [[at(it, "total.findings.not_accepted")]],
    sql: "SELECT count(*) FROM posted WHERE category = 'security_and_privacy' AND accepted = false",
  },
  {
    who: "security engineer",
    question: "Which findings of scans are open and critical or high?",
    calls: [["list_security_findings", { severity: ["critical", "high"], limit: 1000 }]],
    answer: (it) => rowsOf(it, "data", "id").toSorted(),
    sql: "SELECT id FROM security WHERE state = 'open' AND severity IN ('critical', 'high') ORDER BY 1",
  },
  {
    who: "security engineer",
    question: "What was changed, by the audit log?",
    calls: [["list_audit_logs", { limit: 100 }]],
    answer: (it) => rowsOf(it, "data", "action").toSorted(),
    sql: "SELECT action FROM audit ORDER BY 1",
  },
];

const plain = (rows: unknown) => JSON.parse(JSON.stringify(rows));
const ask = async ({ calls, answer, sql: query }: Question) => {
  const results = [];
  for (const [name, args] of calls) results.push(await client.callTool({ name, arguments: { ...args } }));
  const rows = (await sql.runAndReadAll(query)).getRowsJson();
  // SQL writes its large numbers as text.
  const numbers = rows.map((row) =>
    row.map((value) => (/^\d+$/.test(String(value)) ? Number(value) : value)),
  );
  return {
    bytes: Buffer.byteLength(JSON.stringify(results)),
    answered: plain(answer(...results.map((each) => readingOf(each).content))),
    expected: plain(numbers),
  };
};

/** Each question once: a second time would exceed the limit of requests. */
const answers = new Map<Question, ReturnType<typeof ask>>();
const asked = (question: Question) => {
  const answer = answers.get(question) ?? ask(question);
  answers.set(question, answer);
  return answer;
};

test.each(questions)("$who: $question", async (question) => {
  const { answered, expected } = await asked(question);
  expect(answered).toEqual(expected);
  expect(expected).not.toEqual([]);
});

test("the page holds the questions, the tools that answered, their bytes and whether they were right", async () => {
  const page = await readFile(new URL("../../../docs/use/mcp.md", import.meta.url), "utf8");
  const rows: string[][] = [];
  for (const each of questions) {
    const { bytes, answered, expected } = await asked(each);
    const isRight = JSON.stringify(answered) === JSON.stringify(expected);
    const tools = each.calls.map(([name]) => `\`${name}\``).join(", ");
    rows.push([each.who, each.question, tools, String(bytes), isRight ? "right" : "wrong"]);
  }
  const table = markdownTable(["Who", "Question", "Tools", "Bytes", "Answer"], rows);
  const held = /<!-- questions -->\n\n(.*?)\n\n<!-- end of questions -->/s.exec(page)?.[1] ?? "";
  // The demo ends today, so its amounts and bytes change with the day: only old bytes are far off.
  const bytes = /\| (\d+) \|/g;
  expect(held.replaceAll(bytes, "| bytes |"), table).toBe(table.replaceAll(bytes, "| bytes |"));
  const bytesOf = (text: string) => Array.from(text.matchAll(bytes), ([, each]) => Number(each));
  const written = bytesOf(held);
  const isFarOff = bytesOf(table).map(
    (now, row) => Math.max(now, written[row] ?? 0) > 2 * Math.min(now, written[row] ?? 0),
  );
  expect(isFarOff, table).not.toContain(true);
});
