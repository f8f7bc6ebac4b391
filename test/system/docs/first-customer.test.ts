import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createClient } from "../../../lib/client/client.ts";
import { callJson } from "../../cli/support.ts";
import { root } from "../../docs/pages.ts";
import { firstCustomerPage, jobsFolder, scriptOf, useReader } from "./reader.ts";

const { service, runLine, home } = useReader({ fresh: true, empty: true });

test("from an empty service, the page of the first customer and the jobs after it run in their order", async () => {
  const examples = join("docs", "use", "examples");
  await cp(join(root, examples), join(home(), examples), { recursive: true });
  expect(await callJson("org", "show", "--data", service().folder)).toEqual({ organizations: [] });
  const first = scriptOf(firstCustomerPage, { isLocal: true });
  const keys = 'printf "\\n%s\\n%s\\n" "$REVIEW_API_KEY" "$ORGANIZATION_KEY"';
  const { code, output } = await runLine(`${first}\n${keys}`, { REVIEW_API_URL: service().url });
  expect([code, code === 0 ? "" : output]).toEqual([0, ""]);
  const [workspaceKey = "", organizationKey = ""] = output.match(/^rk_\w+$/gm) ?? [];
  expect(output).toContain("Review text is inserted as HTML");
  expect(output).toMatch(/^Storefront +1 /m);

  const api = createClient({ baseUrl: service().url, key: workspaceKey });
  const { body } = await api.listReviewMetrics({
    query: { start_date: "2026-01-01", end_date: "2026-12-31" },
  });
  expect(body.data).toHaveLength(1);
  expect((await readFile(join(home(), "reviews.csv"), "utf8")).trim().split("\n")).toHaveLength(2);
  const dashboard = await fetch(`${service().url}/dashboard`);
  expect([dashboard.status, await dashboard.text()]).toEqual([
    200,
    expect.stringContaining("<!doctype html>"),
  ]);

  for (const job of ["people", "warehouse", "siem", "code-scanning", "keys"]) {
    const key = job === "code-scanning" ? organizationKey : workspaceKey;
    const given = { REVIEW_API_URL: service().url, REVIEW_API_KEY: key };
    const ended = await runLine(scriptOf(`${jobsFolder}${job}.md`, { isLocal: true }), given);
    expect([job, ended.code, ended.code === 0 ? "" : ended.output]).toEqual([job, 0, ""]);
  }
});
