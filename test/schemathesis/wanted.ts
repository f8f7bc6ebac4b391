import * as z from "zod";
import type { Exchange, Failure } from "./exchanges.ts";

/**
 * What Schemathesis reports although the interface wants it so, because the schema of one request cannot say it. Each
 * has its sentence of the interface, or of what completes it. Not every run draws all of them.
 */
export const isWanted = (exchange: Exchange, { check, message }: Failure): boolean => {
  if (check === "positive_data_acceptance")
    return (
      exchange.status === 400 &&
      problemsOf(exchange.body).every((problem) => refusals.some(({ answer }) => answer.test(problem)))
    );
  if (check === "negative_data_rejection")
    return acceptances.some(({ isMeant }) => isMeant(exchange, invalidParts(message)));
  return false;
};

const problem = z.object({ code: z.string(), message: z.string() });
const errorBody = z.union([z.object({ error: problem }), z.object({ errors: z.array(problem) })]);

/** `CODE field: what is wrong`, one for each problem that the answer names. */
function problemsOf(body: string): string[] {
  const { success, data } = errorBody.safeParse(JSON.parse(body));
  if (!success) return [body];
  return ("error" in data ? [data.error] : data.errors).flatMap(({ code, message }) =>
    message.split(/(?<=\.) (?=[a-z_]+(?:\[\d+\])?: )/).map((each) => `${code} ${each}`),
  );
}

/** Valid alone, but not with this key, with each other, or after what happened before. */
const refusals: readonly { readonly answer: RegExp; readonly sentence: string }[] = [
  {
    answer: /^INVALID_CURSOR /,
    sentence: "`cursor`: Opaque `next_cursor` of the previous response; the same filters must be kept.",
  },
  {
    answer: /^INVALID_REQUEST (end_date|date_to): must not be before (start_date|date_from)/,
    sentence: "`end_date`: Inclusive UTC merge date; must not precede `start_date`.",
  },
  {
    answer: /^INVALID_REQUEST organization_ids: is for instance keys only/,
    sentence: "`organization_ids`: for self-hosted Git-provider-instance-scoped keys only.",
  },
  {
    answer: /^ORG_ID_REQUIRED /,
    sentence: "A workspace token on an endpoint that requires `org_id`: 400 when `org_id` is missing.",
  },
  {
    answer: /^INVALID_REQUEST org_id: ALL is for self-hosted instance keys only/,
    sentence: "`ALL` is valid only with self-hosted instance keys; other keys that use it get a 400 error.",
  },
  {
    answer: /^INVALID_REQUEST org_id: /,
    sentence:
      "`org_id` must not be passed (seats); for keys that read it, different values in query and body are 400.",
  },
  {
    answer: /^INVALID_REQUEST (emails|user_ids): (is required|is not taken with this kind of key)/,
    sentence: "Manages seats by `user_ids`; workspace tokens: workspace-wide by email address.",
  },
  {
    answer: /^INVALID_REQUEST user_ids: with this kind of key each must be the seat_holder_id/,
    sentence: "A workspace token unassigns a person without an e-mail address by their `seat_holder_id`.",
  },
  {
    answer: /^INVALID_REQUEST include_removed: must not be sent with /,
    sentence: "`include_removed`: 400 together with CSV, `search`, `file`, `stat_filter`, `state`.",
  },
  {
    answer: /^INVALID_REQUEST (limit|cursor): must not be sent with format=(csv|sarif)/,
    sentence: "With csv and sarif `limit` and `cursor` are 400 (whole downloads).",
  },
  {
    answer: /^INVALID_REQUEST repository_name: must not be sent with repository_id/,
    sentence: "`repository_name`: not with `repository_id` (in the document).",
  },
  {
    answer: /^INVALID_REQUEST duplicate_from: must not be sent together with permissions/,
    sentence: "`permissions` or `duplicate_from`, both is 400.",
  },
  {
    answer: /^INVALID_REQUEST permissions\[\d+\]: is no permission that exists/,
    sentence: "Only permissions that decide something exist.",
  },
  {
    answer: /^INVALID_REQUEST \S+: must not contain (control|NUL|a key)/,
    sentence: "NUL or a lone surrogate is invalid; names have no control or invisible formatting characters.",
  },
  {
    answer: /^INVALID_REQUEST \S+: must have 1 to \d+ characters; redaction marks do not count/,
    sentence: "`file` 1..1,024, `source_url` up to 2,048; redaction marks do not count.",
  },
  {
    answer: /^INVALID_REQUEST \S+: must have (at most|1 to) \d+ bytes/,
    sentence:
      "At most 256 bytes of UTF-8 (in the document, beside each id; a JSON schema counts characters).",
  },
  {
    answer: /^INVALID_REQUEST url: must /,
    sentence: "A webhook's address that is not allowed is 400 and says which rule.",
  },
];

/** What was made invalid: a line each, or one. */
const invalidParts = (message: string): string[] => {
  const [, parts = ""] = message.split("Invalid component: ");
  const lines = parts.split("\n  - ");
  return lines.length > 1 ? lines.slice(1) : lines;
};

const acceptances: readonly {
  isMeant(exchange: Exchange, invalid: readonly string[]): boolean;
  readonly sentence: string;
}[] = [
  {
    isMeant: ({ keyKind }, invalid) =>
      keyKind !== "workspace" && invalid.length > 0 && invalid.every((each) => each.includes("org_id")),
    sentence:
      "Organization, user, legacy and instance keys ignore the value of `org_id` whatever it is, also when it is too " +
      "long or not text.",
  },
  {
    isMeant: ({ operation, body }) => operation === "POST /v1/learnings" && /"failed_count":[1-9]/.test(body),
    sentence: "Response 200 (also when individual items fail): `INVALID_ITEM` is a code of an item error.",
  },
];
