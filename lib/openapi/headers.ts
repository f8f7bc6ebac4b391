import type { ErrorCode } from "../contract/errors.ts";
import type { Operation } from "../contract/operation.ts";

/** Response headers: described once in the document's components, and referenced by each response that has them. */

const integer = { type: "integer" };
const text = { type: "string" };

const described = {
  "x-request-id": [
    text,
    "The id of this request. The service keeps a caller's own id of 1 to 128 characters of A-Za-z0-9_-.",
  ],
  "cache-control": [text, "No cache may store the response."],
  "x-content-type-options": [text, "The content is of the type that content-type names."],
  "strict-transport-security": [text, "Use HTTPS only."],
  "retry-after": [integer, "Whole seconds to wait before you send the same request again."],
  "ratelimit-policy": [text, 'The limit, as "bucket";q=requests;w=seconds.'],
  ratelimit: [text, 'What is left of the limit, as "bucket";r=remaining;t=seconds.'],
  "x-ratelimit-limit": [integer, "Requests in a window of 60 seconds."],
  "x-ratelimit-remaining": [integer, "Requests left in the window that ends now."],
  "x-ratelimit-reset": [integer, "Seconds until the next request is possible."],
  "x-next-cursor": [text, "The cursor of the next page. CSV and NDJSON have it only here."],
  "x-resume-cursor": [text, "On the last page: the cursor that later reads only new records."],
  "content-disposition": [text, "With a format that is a whole file: the file name."],
  deprecation: [text, "With a legacy key: it will stop working."],
  link: [
    text,
    'On every error, rel="help": the page of its code, which says what to do. With a legacy key also rel="deprecation".',
  ],
} as const;
type HeaderName = keyof typeof described;

export const headerComponents: object = Object.fromEntries(
  Object.entries(described).map(([name, [schema, description]]) => [name, { description, schema }]),
);

const named = (names: readonly HeaderName[]): Record<string, object> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const always = [
  "x-request-id",
  "cache-control",
  "x-content-type-options",
  "strict-transport-security",
] as const;
const limited = [
  "ratelimit-policy",
  "ratelimit",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
] as const;
const deprecated = ["deprecation", "link"] as const;

export const successHeaders = ({ keys, paging, downloads }: Operation, hasOtherFormats: boolean): object =>
  named([
    ...always,
    ...limited,
    ...(paging && (hasOtherFormats || paging.resumable) ? (["x-next-cursor"] as const) : []),
    ...(paging?.resumable ? (["x-resume-cursor"] as const) : []),
    ...(downloads ? (["content-disposition"] as const) : []),
    ...(keys.legacy === "accepted" ? deprecated : []),
  ]);

/** Only the limiter or the work after it returns these: the request was counted, or refused because of the count. */
const afterTheCount: readonly ErrorCode[] = [
  "RATE_LIMIT_EXCEEDED",
  "RESPONSE_TOO_LARGE",
  "INTERNAL_ERROR",
  "SERVICE_UNAVAILABLE",
];

export function errorHeaders(
  { keys, errors, paging }: Operation,
  status: number,
  codes: readonly ErrorCode[],
): object {
  const wasCounted = codes.some((code) => afterTheCount.includes(code) || errors.includes(code));
  // Before the key is known, the service cannot know that it is a legacy key.
  const isDeprecated = keys.legacy === "accepted" ? status !== 401 : codes.includes("LEGACY_API_KEY");
  return named([
    ...always,
    ...(status === 429 || status === 503 ? (["retry-after"] as const) : []),
    ...(wasCounted ? limited : []),
    ...(codes.includes("RESPONSE_TOO_LARGE") && paging?.resumable ? (["x-next-cursor"] as const) : []),
    "link",
    ...(isDeprecated ? (["deprecation"] as const) : []),
  ]);
}
