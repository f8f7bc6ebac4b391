import { expect, test } from "vitest";
import { lambdaContext } from "../../cli/local/lambda.ts";
import { listLearnings } from "../../lib/contract/operations/learnings.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { repositoryKey, streamHeadKey } from "../../lib/store/layout.ts";
import { useApi } from "../support/api.ts";
import { gatewayEvent } from "../support/gateway-event.ts";
import { github, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);
const invocation = { functionName: "test", timeoutMs: 29_000, clock: systemClock, random: systemRandom };

test("an operation reads two items ahead and asks for each by its key, whatever else the chain reads", async () => {
  const organization = await world.organization("two-ahead");
  await world.member(github("two-ahead"), "boss", { role: "cr_admin" });
  await world.member(github("two-ahead"), "reader", { readable_repository_ids: ["r1"] });
  await world.repository(github("two-ahead"), "r1");
  const tenant = `o#${organization}` as const;
  await api.store().table.write({ put: { ...streamHeadKey(tenant), says: "head" } });
  const seen: unknown[] = [];
  const handler = createHandler(
    { ...listLearnings, streaming: false },
    async ({ prefetched, readable, principal }) => {
      seen.push([
        prefetched.get(streamHeadKey(principal.tenant))?.says,
        prefetched.get(repositoryKey(organization, "r1"))?.repository_id,
        prefetched.get(repositoryKey(organization, "unasked")),
        readable,
      ]);
      return { empty: true };
    },
    { prefetch: (of) => [streamHeadKey(of), repositoryKey(organization, "r1")] },
  );
  const call = (key: string) =>
    handler(
      gatewayEvent({ target: "/v1/learnings", rawHeaders: ["x-service-api-key", key] }),
      lambdaContext(invocation),
    );
  const admin = await world.adminKey(organization, "boss");
  const { text: user } = await world.key({ kind: "user", organization, owner: "reader" });
  // The first call also reads the cursor keys; a user key also reads the member's repositories.
  for (const key of [user, admin, user]) await call(key);
  const both = ["head", "r1", undefined];
  expect(seen).toEqual([
    [...both, new Set(["r1"])],
    [...both, "*"],
    [...both, new Set(["r1"])],
  ]);
});
