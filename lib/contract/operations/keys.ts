import * as z from "zod";
import { keyLimits, pageLimits } from "../limits.ts";
import { everyKey, noLegacyKey, operation } from "../operation.ts";
import { cursorParameter, integerParameter, keyIdParameter, organizationSelector } from "../parameters.ts";
import { type FieldWords, nextCursor } from "../records.ts";
import { issuedKeyRecord, keyRecord } from "../records-keys.ts";
import { whoamiRecord } from "../records-organizations.ts";

const { graceSecondsMax, graceSecondsDefault, unreceivedGraceMs, unreceivedAfterMs } = keyLimits;
const { keys } = pageLimits;

export const whoami = operation({
  id: "whoami",
  source: "keys/whoami",
  method: "GET",
  path: "/v1/whoami",
  tag: "Keys",
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
  streaming: false,
  errors: [],
});

const managing = {
  tag: "Keys",
  keys: noLegacyKey,
  plan: "enterprise",
  needs: "admin",
  instanceScope: "authorized",
  streaming: false,
} as const;
const tenAMinute = (bucket: string) =>
  ({ bucket, requestsMax: 10, windowSeconds: 60, owner: "quota" }) as const;

export const listKeys = operation({
  ...managing,
  id: "listKeys",
  source: "keys/list",
  method: "GET",
  path: "/v1/keys",
  summary: "List the keys of the scope, without their values",
  description:
    "All keys that were ever created for the organizations of the scope, including keys that no longer work. An instance key also sees the " +
    "instance keys whose authorized organizations are among its own; a workspace token sees the tokens of its workspace.",
  query: z.strictObject({
    limit: integerParameter(keys.min, keys.max).optional(),
    cursor: cursorParameter.optional(),
    ...organizationSelector,
  }),
  answer: {
    status: 200,
    description: "One page of keys",
    schema: z.strictObject({ keys: z.array(keyRecord), next_cursor: nextCursor }),
  },
  organization: "optional",
  rateLimit: tenAMinute("keys"),
  paging: { bindsPageSize: false, resumable: false, defaultSize: keys.default },
  errors: [],
});

const writing = {
  ...managing,
  pathParameters: z.strictObject({ key_id: keyIdParameter }),
  query: z.strictObject({ ...organizationSelector }),
  organization: "ignored",
  /** A key may always revoke and rotate itself. */
  allowsOwnKey: true,
  rateLimit: tenAMinute("keys-write"),
} as const;

const reach =
  "A key may do this to itself. An Admin key may do it to the organization keys of its scope. An instance key may also " +
  "do it to instance keys whose authorized organizations are all among its own. ";

export const rotateKey = operation({
  ...writing,
  id: "rotateKey",
  source: "keys/rotate",
  method: "POST",
  path: "/v1/keys/{key_id}/rotate",
  summary: "Replace a key with a new one that has the same rights",
  description:
    "The answer shows the new value, once. The old key works until its grace period ends. If the answer was lost and " +
    `nobody used the new key, rotate the old key again, ${unreceivedAfterMs / 1_000} seconds to ` +
    `${unreceivedGraceMs / 60_000} minutes after the first time, with the key that rotated it or with another Admin key. ` +
    "The old key cannot repeat a rotation that another key made, and no rotation moves the end of the old key later. " +
    `${reach}A workspace token may do it to the tokens of its owner.`,
  body: z.strictObject({
    grace_seconds: z
      .int({ error: `must be a whole number from 0 to ${graceSecondsMax}` })
      .min(0, { error: `must be a whole number from 0 to ${graceSecondsMax}` })
      .max(graceSecondsMax, { error: `must be a whole number from 0 to ${graceSecondsMax}` })
      .default(graceSecondsDefault),
    ...organizationSelector,
  }),
  bodyOptional: true,
  answer: { status: 201, description: "The new key", schema: issuedKeyRecord },
  writes: {
    put: ["apiKey", "keyRow", "keyDirectory", "news"],
    delete: ["news"],
    update: ["apiKey", "keyRow", "keyDirectory", "people"],
    rights: ["apiKey"],
  },
  // A successor that nobody received was never used.
  checks: ["apiKey", "keyRow", "keyDirectory", "keyUse"],
  errors: ["KEY_NOT_FOUND", "KEY_ROTATED"],
});

export const deleteKey = operation({
  ...writing,
  id: "deleteKey",
  source: "keys/delete",
  method: "DELETE",
  path: "/v1/keys/{key_id}",
  summary: "End a key now",
  description:
    "Ends the key, its successors, and the keys before it whose grace has not ended, also if the key itself has ended. " +
    "A rotated key that deletes itself ends only itself. " +
    `You may repeat the request. ${reach}An Admin key may also do it to the user and agentic keys of its scope, a ` +
    "workspace token to the tokens of its workspace.",
  answer: { status: 204, description: "The key no longer works" },
  writes: { update: ["apiKey"], delete: ["news"], rights: ["apiKey.revoked_at"] },
  errors: ["KEY_NOT_FOUND"],
});

export const keyRequestWords: FieldWords = {
  grace_seconds: "How many seconds the old key still works, 0 to 86,400. Default 3,600.",
};
