/**
 * The closed list of error codes: the status and, for the docs, the meaning. A response with any other code is a bug.
 * `docs/use/errors/` has a page for each code, and a test compares the two.
 */
export const errorCodes = {
  INVALID_REQUEST: { status: 400, meaning: "A parameter or the body does not fit the schema." },
  INVALID_CURSOR: {
    status: 400,
    meaning: "The cursor is damaged, too old, or was made for another request.",
  },
  ORG_ID_REQUIRED: { status: 400, meaning: "A workspace token must name one organization with org_id." },
  BATCH_SIZE_EXCEEDED: { status: 400, meaning: "More than 500 users in one request." },
  UNAUTHORIZED: {
    status: 401,
    meaning: "The key is missing, unknown, expired, revoked, or its owner or organization is inactive.",
  },
  NO_ACTIVE_SUBSCRIPTION: { status: 402, meaning: "The organization has no active subscription." },
  KEY_TYPE_FORBIDDEN: { status: 403, meaning: "This kind of key cannot call this operation." },
  KEY_LIMITED: { status: 403, meaning: "The request is outside of what this key may do (`only`)." },
  WORKSPACE_ADMIN_REQUIRED: {
    status: 403,
    meaning: "The owner of the workspace token is no longer a workspace admin.",
  },
  ORGANIZATION_FORBIDDEN: {
    status: 403,
    meaning: "The key is not authorized for this organization of the instance.",
  },
  ENTERPRISE_PLAN_REQUIRED: { status: 403, meaning: "The operation needs the Enterprise plan." },
  SELF_HOSTED_ONLY: { status: 403, meaning: "The operation is for self-hosted organizations only." },
  METRICS_UNAVAILABLE: { status: 403, meaning: "An organization in the scope does not send its metrics." },
  NOT_ADMIN: { status: 403, meaning: "The operation needs the Admin role." },
  PERMISSION_DENIED: { status: 403, meaning: "The key's role lacks a permission that the operation needs." },
  ORIGIN_FORBIDDEN: { status: 403, meaning: "A page of another origin must not call `POST /mcp`." },
  NOT_FOUND: { status: 404, meaning: "There is no such path." },
  ORGANIZATION_NOT_FOUND: { status: 404, meaning: "No active organization of the key's scope has this id." },
  LEARNING_NOT_FOUND: { status: 404, meaning: "No Learning of the key's scope has this id." },
  ROLE_NOT_FOUND: { status: 404, meaning: "The organization has no role with this id." },
  KEY_NOT_FOUND: { status: 404, meaning: "No key that you may manage has this id." },
  WEBHOOK_NOT_FOUND: { status: 404, meaning: "No webhook of the key's scope has this id." },
  METHOD_NOT_ALLOWED: { status: 405, meaning: "The path exists, but not with this method." },
  LEARNING_EXISTS: { status: 409, meaning: "Another Learning of the repository has this text." },
  LEARNING_NOT_PENDING: { status: 409, meaning: "The Learning is not pending." },
  ROLE_NAME_TAKEN: { status: 409, meaning: "Another role of the organization has this name." },
  ROLE_IN_USE: { status: 409, meaning: "A member or an active key still has this role." },
  KEY_ROTATED: { status: 409, meaning: "The key was rotated, and this is its old value." },
  KEY_EXISTS: {
    status: 409,
    meaning: "The idempotency key belongs to another request, or its key was used.",
  },
  KEY_LIMIT_REACHED: {
    status: 409,
    meaning: "The key has made the maximum number of keys.",
  },
  SYSTEM_ROLE: { status: 409, meaning: "System roles cannot be changed or deleted." },
  ROLE_LIMIT_REACHED: { status: 409, meaning: "The organization has the maximum number of custom roles." },
  WEBHOOK_EXISTS: { status: 409, meaning: "The idempotency key belongs to another request." },
  WEBHOOK_LIMIT_REACHED: { status: 409, meaning: "The scope has the maximum number of webhooks." },
  LEGACY_API_KEY: { status: 410, meaning: "The operation no longer accepts legacy keys; create a new key." },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: "The request body is too large." },
  RESPONSE_TOO_LARGE: { status: 413, meaning: "The response would exceed 16 MiB." },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: "The body is not application/json." },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    meaning: "Too many requests; wait as many seconds as Retry-After says.",
  },
  INTERNAL_ERROR: { status: 500, meaning: "Internal error of the service." },
  METRICS_PREPARING: { status: 503, meaning: "An organization's metrics are being prepared; retry later." },
  INDEX_REFRESH_FAILED: {
    status: 503,
    meaning: "The change is stored, but the review index is not updated; repeat the request.",
  },
  SERVICE_UNAVAILABLE: { status: 503, meaning: "The service cannot respond right now; retry later." },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errorCodes;

/** Codes of single items in a batch whose response as a whole is a 200. */
export const itemErrorCodes = {
  INVALID_ITEM: "The item does not fit the schema.",
  REPOSITORY_NOT_FOUND: "The organization has no active repository with this id.",
  INDEXING_FAILED: "The Learning is stored but not yet indexed; repeat the item.",
  STORAGE_FAILED: "The store refused the item; repeat it.",
  USER_NOT_FOUND: "The organization has no such active member.",
  NO_SEATS_AVAILABLE: "All purchased seats are assigned.",
  LAST_ADMIN: "An organization keeps at least one admin.",
  BILLING_ADMIN_PROTECTED: "This operation never changes the role of a billing admin.",
  ENTERPRISE_PLAN_REQUIRED: "One of the organizations is not on the Enterprise plan.",
} as const satisfies Record<string, string>;

export type ItemErrorCode = keyof typeof itemErrorCodes;

/** The page that explains what to do; its route is in lib/contract/reference.ts. */
export const errorPagePath = (code: ErrorCode): string => `/docs/errors/${code}`;
