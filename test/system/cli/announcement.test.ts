import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { announcement } from "../../../cli/announcement.ts";
import { noPaint } from "../../../cli/terminal.ts";
import { callTool } from "../../cli/support.ts";
import { useService } from "../../support/service.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const common = {
  url: "http://127.0.0.1:3000",
  data: undefined,
  nowMs: Date.UTC(2026, 10, 16),
  paint: noPaint,
};
const organization = { id: "uuid", name: "shop", provider: "github", provider_organization_id: "4242" };

test("with keys, one line sets the workspace's key, and the lines after it use it", () => {
  const keys = { workspace: "rk_workspace_fake", legacy: "cr-fake" };
  const lines = announcement({ ...common, keys, organizations: [organization] }).split("\n");
  expect(lines).toContain(
    "A dashboard, with the workspace's key behind #: http://127.0.0.1:3000/dashboard#key=rk_workspace_fake",
  );
  const at = lines.indexOf("export REVIEW_API_KEY='rk_workspace_fake'");
  expect(lines.slice(at + 1, at + 3)).toEqual([
    `curl -H "x-service-api-key: $REVIEW_API_KEY" 'http://127.0.0.1:3000/v1/organizations'`,
    `curl -H "x-service-api-key: $REVIEW_API_KEY" 'http://127.0.0.1:3000/v1/metrics/reviews?start_date=2026-10-18&end_date=2026-11-16&limit=3'`,
  ]);
  expect(lines.at(-1)).toBe("npx --no-install review-api export metrics --output reviews.csv");
});

describe("without demo data", () => {
  const service = useService();

  test("the printed lines make an organization and a key that works", async () => {
    const printed = announcement({ ...common, keys: {}, organizations: [], data: service().folder });
    expect(printed).not.toMatch(/keys? (?:below|of each)/);
    const [send = "", create = ""] = printed.match(/(?<=npx --no-install review-api )[^)\n]*/g) ?? [];
    const wordsOf = (line: string) => line.replace("docs/", `${root}docs/`).replaceAll("'", "").split(" ");
    expect(await callTool(...wordsOf(send))).toMatchObject({ code: 0 });
    const { code, stdout: key } = await callTool(...wordsOf(create));
    expect(code).toBe(0);
    const answer = await fetch(`${service().url}/v1/whoami`, { headers: { "x-service-api-key": key } });
    expect([answer.status, await answer.json()]).toMatchObject([200, { role: "cr_admin" }]);
  });

  test("with an organization, the lines name it and say how to find an owner", () => {
    const lines = announcement({ ...common, keys: {}, organizations: [organization] }).split("\n");
    expect(lines.slice(-2)).toEqual([
      "npx --no-install review-api members list --org 4242",
      "export REVIEW_API_KEY=$(npx --no-install review-api keys create --kind organization --org 4242 --owner USER_ID --role cr_admin)",
    ]);
  });
});
