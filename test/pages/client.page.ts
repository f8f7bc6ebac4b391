import { expect, test } from "vitest";
import * as z from "zod";
import { startStage } from "./stage.ts";
import { openPage, service } from "./support.ts";

const walkOutcome = z.object({ names: z.array(z.string()), refused: z.boolean() });

test("the client that is built for other packages runs in a browser", async () => {
  const stage = await startStage("/live", service().url);
  try {
    const { page, faults } = await openPage();
    await page.goto(`${stage.url}/docs/errors/INVALID_CURSOR`);
    // As text: the code must reach the browser unchanged.
    const outcome = walkOutcome.parse(
      await page.evaluate(`(async () => {
        const { createClient, ReviewApiError } = await import("${stage.url}/client/client.js");
        const options = { baseUrl: "${stage.url}", key: "${service().keys.workspace}" };
        const names = [];
        for await (const { body } of createClient(options).pages("listOrganizations", { query: { limit: 1 } }))
          names.push(...body.organizations.map(({ name }) => name));
        const refusal = await createClient({ ...options, key: "none" }).whoami().catch((error) => error);
        return { names, refused: refusal instanceof ReviewApiError };
      })()`),
    );
    expect(outcome.names.length).toBeGreaterThan(1);
    expect(outcome.refused).toBe(true);
    await expect.poll(() => faults).toEqual([expect.stringContaining("status of 401")]);
  } finally {
    await stage.close();
  }
});
