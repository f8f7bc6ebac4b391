import { expect, onTestFinished, test, vi } from "vitest";
import { handler as runRingWebhooks } from "../../functions/workers/ring-webhooks.ts";
import { useApi } from "../support/api.ts";
import { withGrants } from "../support/granted-table.ts";
import { World } from "../support/world.ts";

const ringWebhooks = withGrants("ringWebhooks", runRingWebhooks);

const api = useApi();
const world = new World(() => api.store().table);

test("the run that rings webhooks reports the rings that failed", async () => {
  const uuid = await world.organization("one");
  // No address of a private network is ever called.
  await world.webhook(uuid, { url: "https://127.0.0.1/", types: ["metrics.mcp"] });
  const lines: Array<Record<string, unknown>> = [];
  vi.stubEnv("LOG_LEVEL", "info");
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);

  await ringWebhooks();

  expect(lines.filter(({ message }) => message === "webhooks")).toEqual([
    expect.objectContaining({
      rings_failed: 1,
      rings_delivered: 0,
      rings_postponed: 0,
      webhooks_disabled: 0,
    }),
  ]);
});
