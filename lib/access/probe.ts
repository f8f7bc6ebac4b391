import * as z from "zod";
import { organizationTenant } from "../contract/tenants.ts";
import type { Random } from "../runtime/random.ts";
import { madeUpKeyText } from "./key-text.ts";

const timeoutMs = 20_000;
const refusal = z.object({ error: z.object({ code: z.literal("UNAUTHORIZED") }) });

export class ProbeFailed extends Error {
  override readonly name = "ProbeFailed";
}

/**
 * Calls the API as a customer does, with a well-formed key that was never created. The function refuses such a key only
 * after it has read the table, so the 401 shows that the address, the gateway, the function and the table work.
 */
export async function probePublicApi(url: string, random: Random): Promise<void> {
  const organization = random.uuid();
  const key = madeUpKeyText(
    { kind: "organization", organization, tenant: organizationTenant(organization), userId: "probe" },
    random,
  );
  const answer = await fetch(`${url}/v1/whoami`, {
    headers: { "x-service-api-key": key, "user-agent": "review-api-probe" },
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  });
  const isRefusal = answer.status === 401 && refusal.safeParse(await answer.json()).success;
  if (isRefusal) return;
  const requestId = answer.headers.get("x-request-id") ?? "without an id";
  throw new ProbeFailed(`GET /v1/whoami answered ${answer.status} instead of 401 (request ${requestId}).`);
}
