import * as z from "zod";
import { keyLimits, pageLimits, requestLimits } from "../limits.ts";
import { onlyValues } from "../only.ts";
import { everyKey, noLegacyKey, operation } from "../operation.ts";
import {
  choice,
  idempotencyKey,
  keyIdParameter,
  keyName,
  organizationSelector,
  pageParameters,
  uuidParameter,
  wholeNumber,
} from "../parameters.ts";
import { pageAnswer } from "../records.ts";
import { issuedKeyRecord, keyRecord } from "../records-keys.ts";
import { whoamiRecord } from "../records-organizations.ts";

const { graceSecondsMax, graceSecondsDefault } = keyLimits;
const { madeKeysMax, madeKeyDaysDefault, madeKeyDaysMax } = keyLimits;
const repeatMinutes = requestLimits.idempotencyMs / 60_000;
const { keys } = pageLimits;

/** An empty list would read as "everything", so it is refused. */
const onlyList = z
  .array(choice(onlyValues), { error: 'must be an array such as ["metrics:read"]' })
  .min(1, { error: "must have at least one value; leave it out for everything that this key may do" })
  .max(onlyValues.length, { error: `must have at most ${onlyValues.length} values` })
  .transform((values) => onlyValues.filter((value) => values.includes(value)))
  .meta({
    override: {
      type: "array",
      items: { type: "string", enum: [...onlyValues] },
      minItems: 1,
      maxItems: onlyValues.length,
    },
  });

export const whoami = operation({
  id: "whoami",
  source: "keys/whoami",
  method: "GET",
  path: "/v1/whoami",
  tag: "Keys",
  only: null,
  summary: "Describe the key of this request",
  description: "Works with every valid key, also with agentic keys. Never shows the key itself.",
  query: z.strictObject({ ...organizationSelector }),
  answer: { status: 200, description: "The key and what it may do", schema: whoamiRecord },
  keys: { ...everyKey, agentic: "accepted" },
  plan: "any",
  needs: null,
  organization: "ignored",
  instanceScope: "authorized",
  rateLimit: { bucket: "whoami", requestsMax: 60, windowSeconds: 60, owner: "key" },
});

/** Each key has its own windows: whoever has a leaked key cannot keep another key from ending it. */
const tenAMinute = (bucket: string) =>
  ({ bucket, requestsMax: 10, windowSeconds: 60, owner: "key" }) as const;

const managing = {
  tag: "Keys",
  keys: noLegacyKey,
  plan: "enterprise",
  needs: null,
  instanceScope: "authorized",
} as const;

export const listKeys = operation({
  ...managing,
  id: "listKeys",
  only: "keys:read",
  source: "keys/list",
  method: "GET",
  path: "/v1/keys",
  summary: "List the keys of the scope, without their values",
  description:
    "With an Admin key: all keys that were ever created for the organizations of the scope, including keys that no longer work. An Admin " +
    "instance key also sees the instance keys whose authorized organizations are among its own; a workspace token sees the tokens of its " +
    "workspace. Any other key sees itself and the keys that it made.",
  reach: "Admin: the scope; others: itself and what it made",
  query: z.strictObject({ ...pageParameters(keys), ...organizationSelector }),
  answer: pageAnswer("One page of keys", {
    keys: z.array(keyRecord).describe("The keys of this page, never their values."),
  }),
  organization: "optional",
  rateLimit: tenAMinute("keys"),
  paging: { bindsPageSize: false, resumable: false, defaultSize: keys.default },
});

const writing = {
  ...managing,
  query: z.strictObject({ ...organizationSelector }),
  organization: "ignored",
} as const;
const ofKey = {
  pathParameters: z.strictObject({
    key_id: keyIdParameter.describe("`id` of the key, as `GET /v1/keys` shows it."),
  }),
} as const;

const nameWords = "A name for the key, such as the vendor's; a new key never has null.";
const onlyWords =
  "What the new key may do: areas with `read` or `write`; `:write` includes `:read`. Left out, and null in the response: everything that its maker may do.";
const { name: recordedName, only: recordedOnly } = issuedKeyRecord.shape;

export const createKey = operation({
  ...writing,
  id: "createKey",
  only: "keys:write",
  source: "keys/create",
  method: "POST",
  path: "/v1/keys",
  summary: "Make a key like the key of this request, at most as strong",
  description:
    "The new key has the same kind, scope, owner and role. `only` limits what it may do; a key that has `only` must send " +
    `it, within its own. The new key expires in ${madeKeyDaysDefault} days or with its maker, unless \`expires_in_days\` ` +
    "says otherwise. A made key makes no keys; deleting its maker deletes it too, rotating its maker does not. The " +
    "response shows the value, once. If the response was lost, repeat the request with the same `idempotency_key`: for " +
    `${repeatMinutes} minutes it returns the same key and value. A key has at most ${madeKeysMax} live made keys.`,
  reach: "any such key, for itself",
  body: z.strictObject({
    name: keyName.describe(nameWords),
    only: onlyList.optional().describe(onlyWords),
    expires_in_days: wholeNumber(1, madeKeyDaysMax)
      .optional()
      .describe("In how many days the new key expires. Default 90, or what its maker has left."),
    idempotency_key: idempotencyKey.describe(
      "A random UUID for this request: if the response is lost, repeat the request with the same value, and you get the same key.",
    ),
    ...organizationSelector,
  }),
  answer: {
    status: 201,
    description: "The new key",
    schema: issuedKeyRecord.extend({
      name: recordedName.describe(nameWords),
      only: recordedOnly.describe(onlyWords),
    }),
  },
  oldValue: "refused",
  rateLimit: tenAMinute("keys-create"),
  reads: { getMany: ["madeKeys"] },
  writes: {
    put: ["apiKey", "keyList", "keyRow", "keyDirectory", "madeKeys", "news"],
    update: ["people"],
    rights: ["apiKey", "keyList"],
  },
  // The maker is unchanged.
  checks: ["apiKey"],
  errors: ["KEY_ROTATED", "KEY_EXISTS", "KEY_LIMIT_REACHED"],
});

export const rotateKey = operation({
  ...writing,
  ...ofKey,
  id: "rotateKey",
  // Every key rotates itself, and no other key.
  only: null,
  source: "keys/rotate",
  method: "POST",
  path: "/v1/keys/{key_id}/rotate",
  summary: "Give the key of this request a new value",
  description:
    "The response shows the new value, once. Nothing else changes: neither the id nor what the key may do, its expiry or the keys that it " +
    "made. The old value works until its grace period ends, but manages no keys; a rotation during the grace period ends the value " +
    "before at once. If the response was lost, send the same request with the same `idempotency_key` and the old value: for " +
    `${repeatMinutes} minutes it returns the same new value, also after the end of the old one. \`idempotency_key\` is as secret as the ` +
    "key: use a random UUID. A key that leaked is deleted, not rotated.",
  reach: "the key itself",
  body: z.strictObject({
    idempotency_key: uuidParameter("must be a random UUID, which you keep to repeat the request").describe(
      "A random UUID, as secret as the key: if the response is lost, the same request with the same value returns the same new value.",
    ),
    grace_seconds: wholeNumber(0, graceSecondsMax)
      .default(graceSecondsDefault)
      .describe("How many seconds the old value still works, 0 to 86,400; 0: it stops now. Default 3,600."),
    ...organizationSelector,
  }),
  answer: {
    status: 201,
    description: "The key, with its new value",
    schema: issuedKeyRecord.extend({ key: z.string().describe("The new value of the key, shown once.") }),
  },
  oldValue: "repeats",
  rateLimit: tenAMinute("keys-rotate"),
  writes: {
    update: ["apiKey"],
    rights: [
      ...([
        "apiKey.hash",
        "apiKey.old_hash",
        "apiKey.rotated_at",
        "apiKey.old_until",
        "apiKey.salt",
      ] as const),
      "apiKey.revoked_at",
    ],
  },
  errors: ["KEY_NOT_FOUND", "KEY_ROTATED"],
});

export const deleteKey = operation({
  ...writing,
  ...ofKey,
  id: "deleteKey",
  only: "keys:write",
  // Of its own: whoever floods the other operations cannot keep the key from ending what it made.
  rateLimit: tenAMinute("keys-delete"),
  source: "keys/delete",
  method: "DELETE",
  path: "/v1/keys/{key_id}",
  summary: "Revoke a key now",
  description:
    "Also revokes the keys that it made. You may repeat the request. Revoking a made key revokes neither its maker nor other keys. A key may " +
    "always revoke itself, with either of its values; this never counts against a limit. An Admin key that was not made by another key " +
    "revokes the organization, user, agentic and legacy keys of its scope; an instance key also the instance keys whose authorized " +
    "organizations are all among its own; a workspace token the tokens of its workspace. A key revokes the keys that it made.",
  reach: "Admin that was not made, the key itself, or the key that made it",
  endsItself: true,
  oldValue: "refused",
  answer: { status: 204, description: "The key no longer works" },
  reads: { getMany: ["madeKeys"] },
  writes: { update: ["apiKey"], delete: ["news"], many: ["news"], rights: ["apiKey.revoked_at"] },
  checks: ["madeKeys"],
  errors: ["KEY_NOT_FOUND", "KEY_ROTATED"],
});

/** In the order of the reference. */
export const keyOperations = [listKeys, createKey, rotateKey, deleteKey] as const;
