import { expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { listLearnings } from "../../lib/contract/operations/learnings.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { lambdaContext } from "../../lib/local/lambda.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
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
  await api.store().table.write({ put: { ...kinds.streamHead.key({ tenant }), says: "head" } });
  const seen: unknown[] = [];
  const handler = createHandler(
    { ...listLearnings, streaming: false },
    async ({ prefetched, readable, principal }) => {
      seen.push([
        prefetched.get(kinds.streamHead.key({ tenant: principal.tenant }))?.says,
        prefetched.get(kinds.repository.key({ organization, repositoryId: "r1" }))?.repository_id,
        prefetched.get(kinds.repository.key({ organization, repositoryId: "unasked" })),
        readable,
      ]);
      return { json: { data: [], next_cursor: null } };
    },
    {
      prefetch: (of) => [
        kinds.streamHead.key({ tenant: of }),
        kinds.repository.key({ organization, repositoryId: "r1" }),
      ],
    },
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
