import * as z from "zod";
import { keyLimits, pageLimits, requestLimits } from "../limits.ts";
import { onlyValues } from "../only.ts";
import { everyKey, noLegacyKey, operation } from "../operation.ts";
import {
  choice,
  idempotencyKey,
  keyIdParameter,
  organizationSelector,
  pageParameters,
  text,
  wholeNumber,
} from "../parameters.ts";
import { type FieldWords, pageAnswer } from "../records.ts";
import { issuedKeyRecord, keyRecord } from "../records-keys.ts";
import { whoamiRecord } from "../records-organizations.ts";

const { graceSecondsMax, graceSecondsDefault, unreceivedGraceMs, unreceivedAfterMs } = keyLimits;
const { nameCharactersMax, madeKeysMax, madeKeyDaysDefault, madeKeyDaysMax } = keyLimits;
const repeatMinutes = requestLimits.idempotencyMs / 60_000;
const { keys } = pageLimits;

/** An empty list would read as "everything", so it is refused. */
const onlyList = z
  .array(choice(onlyValues), { error: 'must be an array such as ["metrics:read"]' })
  .min(1, { error: "must have at least one value; leave it out for everything that this key may do" })
  .max(onlyValues.length, { error: `must have at most ${onlyValues.length} values` })
  .transform((values) => onlyValues.filter((value) => values.includes(value)))
  .meta({ override: { type: "array", items: { type: "string", enum: [...onlyValues] }, minItems: 1 } });

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

const managing = {
  tag: "Keys",
  keys: noLegacyKey,
  plan: "enterprise",
  needs: "admin",
  instanceScope: "authorized",
} as const;
const tenAMinute = (bucket: string) =>
  ({ bucket, requestsMax: 10, windowSeconds: 60, owner: "quota" }) as const;

export const listKeys = operation({
  ...managing,
  id: "listKeys",
  only: "keys:read",
  source: "keys/list",
  method: "GET",
  path: "/v1/keys",
  summary: "List the keys of the scope, without their values",
  description:
    "All keys that were ever created for the organizations of the scope, including keys that no longer work. An instance key also sees the " +
    "instance keys whose authorized organizations are among its own; a workspace token sees the tokens of its workspace.",
  query: z.strictObject({ ...pageParameters(keys), ...organizationSelector }),
  answer: pageAnswer("One page of keys", { keys: z.array(keyRecord) }),
  organization: "optional",
  rateLimit: tenAMinute("keys"),
  paging: { bindsPageSize: false, resumable: false, defaultSize: keys.default },
});

const writing = {
  ...managing,
  only: "keys:write",
  pathParameters: z.strictObject({ key_id: keyIdParameter }),
  query: z.strictObject({ ...organizationSelector }),
  organization: "ignored",
  /** A key may always revoke and rotate itself. */
  allowsOwnKey: true,
  rateLimit: tenAMinute("keys-write"),
} as const;

/** A key and the rows that list it. */
const keyKinds = ["apiKey", "keyRow", "keyDirectory"] as const;

export const createKey = operation({
  ...managing,
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
    `response shows the value, once. If the response was lost, repeat the request with the same \`idempotency_key\`: for ${repeatMinutes} ` +
    `minutes it replaces the key that nobody used. A key and its rotations have at most ${madeKeysMax} made keys.`,
  query: z.strictObject({ ...organizationSelector }),
  body: z.strictObject({
    name: text(1, nameCharactersMax),
    only: onlyList.optional(),
    expires_in_days: wholeNumber(1, madeKeyDaysMax).optional(),
    ...idempotencyKey,
    ...organizationSelector,
  }),
  answer: { status: 201, description: "The new key", schema: issuedKeyRecord },
  needs: null,
  organization: "ignored",
  rateLimit: { ...tenAMinute("keys-create"), owner: "key" },
  reads: { get: ["keyLine"] },
  writes: {
    put: [...keyKinds, "keyLine", "news"],
    delete: ["news"],
    update: ["apiKey", "people"],
    rights: ["apiKey"],
  },
  // The maker is unchanged; a key that nobody received was never used.
  checks: ["apiKey", "keyUse"],
  errors: ["KEY_ROTATED", "KEY_EXISTS", "KEY_LIMIT_REACHED"],
});

const reach =
  "A key may do this to itself. An Admin key may do it to the organization keys of its scope. An instance key may also " +
  "do it to instance keys whose authorized organizations are all among its own. ";

export const rotateKey = operation({
  ...writing,
  id: "rotateKey",
  refusesNarrowKeys: true,
  source: "keys/rotate",
  method: "POST",
  path: "/v1/keys/{key_id}/rotate",
  summary: "Replace a key with a new one that has the same rights",
  description:
    "The response shows the new value, once. The new key expires when the rotated key would have expired. The rotated key works until " +
    "its grace period ends. If the response was lost and " +
    `nobody used the new key, rotate the same key again, ${unreceivedAfterMs / 1_000} seconds to ` +
    `${unreceivedGraceMs / 60_000} minutes after the first time, with the key that rotated it or with another Admin key. ` +
    "A rotated key cannot repeat a rotation that another key made, and no rotation moves the end of the rotated key later. " +
    `${reach}A workspace token may do it to the tokens of its owner.`,
  body: z.strictObject({
    grace_seconds: wholeNumber(0, graceSecondsMax).default(graceSecondsDefault),
    ...organizationSelector,
  }),
  bodyOptional: true,
  answer: { status: 201, description: "The new key", schema: issuedKeyRecord },
  reads: { get: ["keyLine"] },
  writes: {
    put: [...keyKinds, "keyLine", "news"],
    delete: ["news"],
    update: [...keyKinds, "people"],
    rights: ["apiKey"],
  },
  // A successor that nobody received was never used.
  checks: ["apiKey", "keyRow", "keyDirectory", "keyUse"],
  errors: ["KEY_NOT_FOUND", "KEY_ROTATED"],
});

export const deleteKey = operation({
  ...writing,
  id: "deleteKey",
  allowsMaker: true,
  // Of its own: whoever floods the other operations with a leaked key cannot keep an Admin from ending the key.
  rateLimit: tenAMinute("keys-delete"),
  source: "keys/delete",
  method: "DELETE",
  path: "/v1/keys/{key_id}",
  summary: "Revoke a key now",
  description:
    "Also revokes the keys it was rotated from and into, and the keys that any of these made, also if the key itself is " +
    "already revoked. Revoking a made key does not revoke its maker. A rotated key that revokes itself revokes only itself. " +
    `You may repeat the request. ${reach}A key may do it to the keys that it made. An Admin key may also do it to the user and agentic keys of its scope, a ` +
    "workspace token to the tokens of its workspace.",
  answer: { status: 204, description: "The key no longer works" },
  reads: { get: ["keyLine"] },
  writes: { put: ["keyLine"], update: ["apiKey"], delete: ["news"], rights: ["apiKey.revoked_at"] },
  checks: ["keyLine"],
  errors: ["KEY_NOT_FOUND"],
});

export const keyRequestWords: FieldWords = {
  "createKey: name": "A name for the key, such as the vendor's; a new key never has null.",
  "createKey: idempotency_key":
    "A value of your own for this request, such as a UUID: if the response is lost, repeat the request with the same value, " +
    "and one live key is left.",
  "createKey: only":
    "What the new key may do: areas with `read` or `write`; `:write` includes `:read`. Left out, and null in the response: everything that its maker may do.",
  expires_in_days: "In how many days the new key expires. Default 90, or what its maker has left.",
  grace_seconds: "How many seconds the rotated key still works, 0 to 86,400. Default 3,600.",
};
