import { expect, test } from "vitest";
import { createClient } from "../../lib/client/client.ts";
import { takesAlone } from "../../lib/contract/sentences.ts";
import { exportPages } from "../../lib/mirror/pages.ts";
import { metricsSources } from "../../lib/mirror/sources.ts";

const large = { pr_url: "https://git.test/1", provider: "github", organization_id: "1001" };
const record = (pr_url: string, comments: readonly object[]) => ({
  pr_url,
  provider: "github",
  organization_id: "1001",
  repository_id: "9001",
  author_id: "7",
  merged_at: "2026-01-02T00:00:00.000Z",
  coderabbit_comments: comments,
});
const comment = { url: "https://git.test/3#c", severity: "minor", category: null, accepted: true };

/** A service whose first record is too large for any answer, which says so with this sentence. */
function walkOf(sentence: string) {
  const fetch = async (target: string | URL | Request) => {
    if (new URL(String(target)).searchParams.has("cursor"))
      return Response.json({
        data: [record("https://git.test/2", []), record("https://git.test/3", [comment])],
        next_cursor: null,
        resume_cursor: "later",
      });
    const errors = [{ code: "RESPONSE_TOO_LARGE", message: sentence }];
    return Response.json({ errors }, { status: 413, headers: { "x-next-cursor": "second" } });
  };
  const client = createClient({ baseUrl: "https://api.test", key: "k", fetch });
  const query = { start_date: "2026-01-01", end_date: "2026-01-31" };
  const source = metricsSources["review-comments"];
  const walk = source.walk(client, { query, format: "csv", followsRemovals: false });
  return { pages: exportPages(walk, undefined), rowsOf: walk.layout.rowsOf };
}

test("a record that is too large for any answer is named, and the walk goes on after it", async () => {
  const { pages } = walkOf(takesAlone(large, 20_000_000));
  const changes = (await Array.fromAsync(pages)).flatMap((page) => page.changes);
  expect(changes).toMatchObject([
    { kind: "too-large", fields: large },
    ...["https://git.test/2", "https://git.test/3"].map((pr_url) => ({
      kind: "written",
      fields: { pr_url },
    })),
  ]);
  await expect(Array.fromAsync(walkOf("Too large.").pages)).rejects.toThrow("Too large.");
});

test("a pull request has a row for each comment, and one without a comment if it has none", () => {
  const { rowsOf } = walkOf("");
  const rows = (comments: readonly object[]) =>
    rowsOf(JSON.stringify(record("https://git.test/2", comments)));
  const start = "https://git.test/2,1001,9001,7,2026-01-02T00:00:00.000Z";
  expect(rows([])).toEqual([expect.stringMatching(new RegExp(`^${start},,,,\\s*$`))]);
  expect(rows([comment, comment])).toHaveLength(2);
});
