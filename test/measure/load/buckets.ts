import { operations } from "../../../lib/contract/operations.ts";
import { requestOf } from "../../../lib/contract/requests.ts";
import { absent } from "../../support/subject.ts";
import type { Shot } from "./driver.ts";
import type { Limit } from "./verdict.ts";

export type Bucket = Limit & { readonly shots: ReadonlyArray<Omit<Shot, "atMs">> };

/** Every bucket of the contract with the requests that share it, sent by an admin's organization key. */
export function bucketsOf(organization_id: string, key: string): ReadonlyMap<string, Bucket> {
  // Roles, Learnings and keys do not exist, and the name of a new role is taken: such requests count like any other.
  const subject = { ...absent, organization_id, repository_id: "9001", user_id: "502" };
  const buckets = new Map<string, Bucket>();
  for (const operation of operations) {
    const { bucket, requestsMax, windowSeconds } = operation.rateLimit;
    const text = operation.id === "createRole" ? "Admin" : absent.text;
    const { method, target, body } = requestOf(operation, { ...subject, text });
    const shot = { bucket, method, path: target, key, ...(body && { body: JSON.stringify(body) }) };
    const shots = [...(buckets.get(bucket)?.shots ?? []), shot];
    buckets.set(bucket, { requestsMax, windowMs: windowSeconds * 1000, shots });
  }
  return buckets;
}
