import { type KeyKind, keyKinds } from "../contract/access.ts";
import { ApiError } from "../contract/api-error.ts";
import { requestLimits } from "../contract/limits.ts";
import { isWithinOnly, type OnlyList } from "../contract/only.ts";
import type { Operation } from "../contract/operation.ts";
import { isMoving, type OrganizationItem } from "../store/items/organization.ts";
import type { Principal } from "./principal.ts";
import { coversSeveral, type Scope, type ScopeOptions } from "./scope.ts";

/** Checks the kind of key. */
export function checkKeyKind(operation: Operation, { key }: Principal, parameters: readonly string[]): void {
  const verdict = operation.keys[key.kind];
  const accepted = keyKinds.filter((kind) => operation.keys[kind] === "accepted").join(", ");
  if (verdict === "gone") {
    throw new ApiError(
      "LEGACY_API_KEY",
      `Legacy API keys are no longer accepted here; the operation takes keys of kind ${accepted}. Create a new key and send that one instead.`,
    );
  }
  if (verdict === "forbidden") {
    throw new ApiError(
      "KEY_TYPE_FORBIDDEN",
      `Keys of kind ${key.kind} cannot be used on this operation; it takes keys of kind ${accepted}.`,
    );
  }
  for (const [name, kinds] of Object.entries(operation.keysOfParameter ?? {})) {
    if (parameters.includes(name) && !kinds.includes(key.kind)) {
      throw new ApiError(
        "KEY_TYPE_FORBIDDEN",
        `${name}: keys of kind ${key.kind} cannot use it; it needs one of kind ${kinds.join(" or ")}.`,
      );
    }
  }
}

/** Checks that the owner of a workspace token is still an admin, and that `only` of a narrow key allows the operation. */
export function checkOwnerAndOnly({ only }: Operation, { key, ownerStillAdmin }: Principal): void {
  if (!ownerStillAdmin) {
    throw new ApiError(
      "WORKSPACE_ADMIN_REQUIRED",
      "The owner of this token is no longer an admin of the workspace. Let a current admin create a new one.",
    );
  }
  if (!isWithinOnly(key.only, only)) throw keyLimited(`This operation needs ${only}`, key);
}

/** The request is outside of what a narrow key may do. */
export const keyLimited = (need: string, { only }: { readonly only?: OnlyList }): ApiError =>
  new ApiError(
    "KEY_LIMITED",
    `${need}; this key may do only: ${only?.join(", ")}. Use a key that may do more.`,
  );

/** Checks subscription, deployment, plan, then the state of the metrics. Returns the part of the scope that passes. */
export function narrowToPlan(
  operation: Operation,
  scope: Scope,
  kind: KeyKind,
  options: ScopeOptions = {},
): Scope {
  const gates = operation.gates ?? [];
  if (gates.includes("subscription"))
    requireEvery(scope, ({ subscription_active }) => subscription_active, noSubscription);
  if (gates.includes("self_hosted"))
    requireEvery(scope, ({ deployment }) => deployment === "self_hosted", notSelfHosted);
  const narrowed = narrowToEnterprise(operation, scope, options);
  if (gates.includes("metrics")) {
    const advice = narrowed.organizations.length > 1 ? howToLeaveOut[kind] : undefined;
    requireEvery(
      narrowed,
      ({ metrics }) => metrics !== "unavailable",
      (id) => metricsUnavailable(id, advice),
    );
    requireEvery(
      narrowed,
      (organization) => organization.metrics !== "preparing" && !isMoving(organization),
      (id) => metricsPreparing(id, advice),
    );
  }
  return narrowed;
}

function narrowToEnterprise(operation: Operation, scope: Scope, { mayBeEmpty = false }: ScopeOptions): Scope {
  if (operation.plan === "any") return scope;
  const organizations = scope.organizations.filter(({ plan }) => plan === "enterprise");
  if (organizations.length === 0 && !(mayBeEmpty && coversSeveral(scope))) {
    throw new ApiError("ENTERPRISE_PLAN_REQUIRED", "This operation needs the Enterprise plan.");
  }
  return operation.plan === "enterprise_somewhere" ? scope : { ...scope, organizations };
}

function requireEvery(
  scope: Scope,
  holds: (organization: OrganizationItem) => boolean,
  errorFor: (name: string) => ApiError,
) {
  const failing = scope.organizations.find((organization) => !holds(organization));
  if (failing) throw errorFor(failing.provider_organization_id);
}

const noSubscription = () =>
  new ApiError("NO_ACTIVE_SUBSCRIPTION", "The organization has no active subscription.");
const notSelfHosted = () =>
  new ApiError("SELF_HOSTED_ONLY", "This operation is only for fully self-hosted organizations.");
const metricsUnavailable = (id: string, advice = "") =>
  new ApiError(
    "METRICS_UNAVAILABLE",
    `Organization ${id} does not send its metrics to this service.${advice}`,
  );
/** Only these two kinds reach several organizations. */
const howToLeaveOut: Readonly<Partial<Record<KeyKind, string>>> = {
  workspace: " To leave it out, read the other organizations one at a time with org_id.",
  instance: " To leave it out, name the other organizations in organization_ids.",
};
export const metricsPreparing = (id: string, advice = "") =>
  new ApiError(
    "METRICS_PREPARING",
    `The metrics of organization ${id} are being prepared. Retry the same request later.${advice}`,
    {
      retryAfterSeconds: requestLimits.metricsPreparingRetryAfterSeconds,
    },
  );

/** Checks that the key has the role or the permission that the operation and its parameters need. */
export function checkPermission(
  { needs, needsOfKind, needsOfParameter, oldValue }: Operation,
  { key, value, role }: Principal,
  /** The query's parameters, as `sentParameters` names them. */
  parameters: readonly string[],
): void {
  const sent = parameters.map((parameter) => needsOfParameter?.[parameter]);
  for (const needed of [needs, ...sent, needsOfKind?.[key.kind]]) {
    if (needed === "admin" && !role?.isAdmin)
      throw new ApiError("NOT_ADMIN", "This operation needs a key with the Admin role (cr_admin).");
    if (needed && needed !== "admin" && !role?.permissions.has(needed))
      throw new ApiError("PERMISSION_DENIED", `This operation needs a role with the permission ${needed}.`);
  }
  if (oldValue === "refused" && value.state !== "current") throw keyRotated();
}

/** An old value manages no keys: whoever has it may be somebody from whom the rotation protects the key. */
export const keyRotated = (): ApiError =>
  new ApiError("KEY_ROTATED", "The key was rotated and this is its old value. Send the new value.");
