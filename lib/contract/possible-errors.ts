import { type ErrorCode, errorCodes } from "./errors.ts";
import type { Operation } from "./operation.ts";

/** By the operation's policy: the OpenAPI document lists these codes, and the tests allow them. */
export function possibleErrors(operation: Operation): ErrorCode[] {
  const {
    keys,
    needs,
    needsOfKind,
    needsOfParameter,
    gates = [],
    query,
    organization,
    instanceScope,
  } = operation;
  const verdicts = new Set(Object.values(keys));
  const narrows = "organization_ids" in { ...query.shape, ...operation.body?.shape };
  const codes = new Set<ErrorCode>(["UNAUTHORIZED", "INVALID_REQUEST", "RATE_LIMIT_EXCEEDED"]);
  const add = (when: boolean, ...more: ErrorCode[]) => {
    if (when) for (const code of more) codes.add(code);
  };
  add(verdicts.has("forbidden") || operation.keysOfParameter !== undefined, "KEY_TYPE_FORBIDDEN");
  add(operation.only !== null, "KEY_LIMITED");
  add(verdicts.has("gone"), "LEGACY_API_KEY");
  add(keys.workspace === "accepted", "WORKSPACE_ADMIN_REQUIRED");
  add(operation.body !== undefined, "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE");
  add(operation.paging !== undefined, "INVALID_CURSOR");
  add(organization === "required", "ORG_ID_REQUIRED");
  add(organization === "required" || organization === "optional", "ORGANIZATION_NOT_FOUND");
  add(narrows || instanceScope === "named", "ORGANIZATION_NOT_FOUND", "ORGANIZATION_FORBIDDEN");
  add(instanceScope === "home" && keys.instance === "accepted", "ORGANIZATION_FORBIDDEN");
  add(operation.plan !== "any", "ENTERPRISE_PLAN_REQUIRED");
  add(gates.includes("subscription"), "NO_ACTIVE_SUBSCRIPTION");
  add(gates.includes("self_hosted"), "SELF_HOSTED_ONLY");
  add(gates.includes("metrics"), "METRICS_UNAVAILABLE", "METRICS_PREPARING");
  for (const needed of [
    needs,
    ...Object.values(needsOfKind ?? {}),
    ...Object.values(needsOfParameter ?? {}),
  ]) {
    add(needed === "admin", "NOT_ADMIN");
    add(needed !== null && needed !== undefined && needed !== "admin", "PERMISSION_DENIED");
  }
  add(operation.streaming || operation.paging !== undefined, "RESPONSE_TOO_LARGE");
  add(true, ...operation.errors, "INTERNAL_ERROR", "SERVICE_UNAVAILABLE");
  return [...codes].sort((one, other) => errorCodes[one].status - errorCodes[other].status);
}
