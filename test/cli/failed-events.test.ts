import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callTool, event, ndjson, soloOrganization, useDev } from "./support.ts";

const { folder } = useDev();

/** Made at run time, so that no scanner takes this file for a leak. */
const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;

test("neither `events failed` nor `events redrive` nor `events send` shows a credential that a failed event holds", async () => {
  const data = await folder();
  const file = join(data, "events.ndjson");
  const { provider, instance_id, provider_organization_id } = soloOrganization("1", "Solo");
  const learning = { provider, instance_id, provider_organization_id, repository_id: "9", source: "chat" };
  await writeFile(
    file,
    ndjson([
      event(1, "learning.captured", { ...learning, author_id: null, learning: `Use ${secret}.` }),
      event(2, `x.${secret}`, { text: `Use ${secret}.` }),
      event(3, "learning.captured", { ...learning, author_id: "7", learning: `Use ${secret}.` }),
    ]),
  );
  const shown = [
    await callTool("events", "send", file, "--data", data),
    await callTool("events", "failed", "--data", data),
    await callTool("events", "failed", "--data", data, "--json"),
    await callTool("events", "redrive", "--data", data, "--json"),
    await callTool("events", "redrive", "--data", data),
  ];
  expect(shown[2]?.stdout).toContain("[REDACTED:github_token]");
  expect(JSON.parse(shown[2]?.stdout ?? "").failed).toHaveLength(2);
  expect(JSON.stringify(shown)).not.toContain(secret);
});
