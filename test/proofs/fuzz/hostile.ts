import type { Random } from "../../../lib/runtime/random.ts";
import type { CallOptions } from "../../support/api.ts";
import { type Draft, targetOf } from "./draft.ts";
import { maybe, oneOf } from "./values.ts";

export type Hostile = { readonly target: string; readonly options: CallOptions };

const pathTricks: ReadonlyArray<(path: string) => string> = [
  (path) => `${path}/`,
  (path) => path.replace("/v1", "/v1/"),
  (path) => path.replace("/v1/", "/V1/"),
  (path) => path.replace("/v1/", "/v1/%2e%2e/v1/"),
  (path) => path.replace("/v1/", "/v1/../v1/"),
  (path) => path.replaceAll("/", "%2f"),
  (path) => `${path}%00`,
  (path) => `${path}%zz`,
  (path) => `${path}%`,
  (path) => `${path};x=1`,
  (path) => `${path}%20`,
  (path) => `${path}%252e%252e`,
  (path) => `${path}/%c0%ae%c0%ae`,
  (path) => `${path}/${"a".repeat(6_000)}`,
  (path) => path.replace(/[^/]+$/, "%E2%80%AE"),
  (path) => path.replace(/[^/]+$/, "__proto__"),
  (path) => path.replace(/[^/]+$/, "%ED%A0%80"),
  () => "//",
  () => "/",
  () => "/v1/{proxy+}",
  () => "/v1/roles/permissions/permissions",
];

const queries = [
  "__proto__=1&__proto__[isAdmin]=true",
  "constructor[prototype][x]=1",
  "limit=1&limit=2&limit=3",
  "limit=%31%00",
  "limit=%EF%BC%95",
  "a=%ff%fe",
  "%00=%00",
  "&&&&&===",
  "?",
  "org_id=%ED%A0%80",
  "org_id=%00",
  `org_id=${"%25".repeat(200)}`,
  "cursor=..%2f..%2f",
  `cursor=${"A".repeat(1_000)}.${"B".repeat(20)}`,
  `x=${"y".repeat(9_000)}`,
  Array.from({ length: 300 }, (_, index) => `p${index}=1`).join("&"),
];

const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;

/** Bodies that no honest client sends. */
const bodies: ReadonlyArray<(draft: Draft, random: Random) => Buffer | string> = [
  () => nested("[", "]", 100_000),
  () => nested('{"a":', "}", 20_000),
  () => `{"data":${nested("[", "]", 50_000)}}`,
  () => `{"user_ids":${nested("[", "]", 5_000)},"role":"cr_admin"}`,
  (draft) => JSON.stringify(draft.body).replace("{", '{"org_id":1e400,'),
  (draft) => JSON.stringify(draft.body).replace("{", '{"limit":123456789012345678901234567890,'),
  (draft) => `\ufeff${JSON.stringify(draft.body)}`,
  (draft) => Buffer.from(JSON.stringify(draft.body), "utf16le"),
  (draft) => Buffer.concat([Buffer.from(JSON.stringify(draft.body)), Buffer.from([0xff, 0xfe, 0x00])]),
  (_, random) => Buffer.from(random.bytes(1 + random.below(2_000))),
  (draft) => JSON.stringify(draft.body).replace("}", ',"role":"cr_admin","role":"cr_member"}'),
  (draft) => JSON.stringify({ ...draft.body, data: [{ learning: "\ud800", repository_id: "\u0000" }] }),
  () => '{"data":[{"__proto__":{"repository_id":"9001","learning":"x"}}]}',
  () => '{"data":{"length":1,"0":{"repository_id":"9001","learning":"x"}}}',
  () => '{"mode":"automatic","__proto__":{"mode":"manual"}}',
  () => '{"constructor":{"prototype":{"polluted":true}}}',
  () => `{"learning":"${"\\ud83d".repeat(1_000)}"}`,
  () => `{"name":${JSON.stringify("\u202e\u2066\ufeff")}}`,
  (_, random) => `{"x":"${"y".repeat(maybe(random, 60) ? 10_000_000 : 1_100_000)}"}`,
];

const headerTricks: ReadonlyArray<readonly string[]> = [
  ["content-type", "application/json; charset=utf-16"],
  ["content-type", "application/json", "content-type", "text/plain"],
  ["Content-Type", "APPLICATION/JSON"],
  ["content-encoding", "gzip"],
  ["x-http-method-override", "DELETE"],
  ["x-request-id", "\u0001\u0002"],
  ["x-request-id", "a", "x-request-id", "b"],
  ["accept-encoding", "gzip;q=banana, br;q=-1, *;q=999"],
  ["accept-encoding", ",,,;;;q=,"],
  ["accept", "text/html;level=1, */*;q=0"],
  ["origin", "null"],
  ["range", "bytes=0-0"],
  ["x-forwarded-for", "127.0.0.1, evil"],
  ["authorization", "Bearer undefined"],
  ["x-service-api-key", "undefined"],
  ["cookie", "a=b; ".repeat(500)],
];

const methods = [
  "PUT",
  "HEAD",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "get",
  "PROPFIND",
  "M-SEARCH",
  "POST",
  "DELETE",
  "PATCH",
];

/** Anything at all: no answer to it may be a 5xx. */
export function hostileOf(draft: Draft, key: string, random: Random): Hostile {
  const { method } = draft.operation;
  const target = targetOf(draft);
  const plain = { method, key, ...(draft.body && { body: draft.body }) };
  switch (random.below(draft.body ? 6 : 4)) {
    case 0:
      return { target: oneOf(random, pathTricks)(target.split("?", 1)[0] ?? ""), options: plain };
    case 1:
      return { target: `${target.split("?", 1)[0]}?${oneOf(random, queries)}`, options: plain };
    case 2:
      return { target, options: { ...plain, method: oneOf(random, methods) } };
    case 3:
      return { target, options: { ...plain, rawHeaders: oneOf(random, headerTricks) } };
    default: {
      const body = oneOf(random, bodies)(draft, random);
      return { target, options: { ...plain, body, rawHeaders: ["content-type", "application/json"] } };
    }
  }
}
