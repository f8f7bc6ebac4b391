import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import * as z from "zod";
import { operations } from "../../lib/contract/operations.ts";
import type { Exchange, Failure } from "./exchanges.ts";

/**
 * Why an answer is right: a sentence, word for word, and where it stands. `interface` and `decisions` are the two
 * documents that the service is built from; the others are files of this project.
 */
type Reason = {
  readonly from: "interface" | "decisions" | `docs/${string}`;
  readonly sentence: string;
};

/**
 * What Schemathesis reports although the interface wants it so, because the schema of one request cannot say it. Not
 * every run draws all of them.
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
const refusals: ReadonlyArray<Reason & { readonly answer: RegExp }> = [
  {
    answer: /^INVALID_CURSOR /,
    from: "interface",
    sentence:
      "Opaque `next_cursor` of the previous response; the same date window and filters must be kept on later pages",
  },
  {
    answer: /^INVALID_REQUEST end_date: must not be before start_date/,
    from: "interface",
    sentence: "Inclusive UTC merge date; must not precede `start_date`",
  },
  {
    answer: /^INVALID_REQUEST date_to: must not be before date_from/,
    from: "docs/openapi.json",
    sentence: "Up to this day (UTC) or instant, inclusive; not before `date_from`.",
  },
  {
    answer: /^INVALID_REQUEST organization_ids: is for instance keys only/,
    from: "interface",
    sentence: "for self-hosted Git-provider-instance-scoped keys only",
  },
  {
    answer: /^ORG_ID_REQUIRED /,
    from: "interface",
    sentence: "A workspace token on an endpoint that requires `org_id`: 400 when `org_id` is missing",
  },
  {
    answer: /^INVALID_REQUEST org_id: ALL is for self-hosted instance keys only/,
    from: "interface",
    sentence:
      "`ALL` is valid only with self-hosted instance keys; organization, workspace and legacy keys that use it get a 400 error",
  },
  {
    answer: /^INVALID_REQUEST org_id: must not be sent with a workspace token on this operation/,
    from: "docs/use/keys.md",
    sentence: "require `org_id` and some refuse it: see the table below.",
  },
  {
    answer: /^INVALID_REQUEST org_id: (the query and the body name different|is read from the body)/,
    from: "decisions",
    sentence: "For keys that read it, `org_id` in both query and body with different values is 400.",
  },
  {
    answer: /^INVALID_REQUEST (emails|user_ids): (is required|is not taken with this kind of key)/,
    from: "docs/openapi.json",
    sentence: "Workspace tokens name people by `emails`, all other keys by `user_ids`.",
  },
  {
    answer: /^INVALID_REQUEST user_ids: with this kind of key each must be the seat_holder_id/,
    from: "docs/openapi.json",
    sentence:
      "With a workspace token only for `unassign`, and by the `seat_holder_id` that `GET /v1/users` shows.",
  },
  {
    answer: /^INVALID_REQUEST include_removed: must not be sent with /,
    from: "decisions",
    sentence: "400 together with CSV, `search`, `file`, `stat_filter`, `state`",
  },
  {
    answer: /^INVALID_REQUEST (limit|cursor): must not be sent with format=(csv|sarif)/,
    from: "decisions",
    sentence: "with csv and sarif `limit` and `cursor` are 400",
  },
  {
    answer: /^INVALID_REQUEST repository_name: must not be sent with repository_id/,
    from: "docs/openapi.json",
    sentence: "Not with `repository_id`.",
  },
  {
    answer: /^INVALID_REQUEST duplicate_from: must not be sent together with permissions/,
    from: "decisions",
    sentence: "`permissions` or `duplicate_from`, both is 400",
  },
  {
    answer: /^INVALID_REQUEST permissions\[\d+\]: is no permission that exists/,
    from: "decisions",
    sentence: "only permissions that decide something exist",
  },
  {
    answer: /^INVALID_REQUEST \S+: must not contain (NUL|unpaired)/,
    from: "decisions",
    sentence: "NUL or a lone surrogate is invalid",
  },
  {
    answer: /^INVALID_REQUEST \S+: must not contain control characters/,
    from: "docs/openapi.json",
    sentence: "No control characters and no invisible formatting characters.",
  },
  {
    answer: /^INVALID_REQUEST name: must (contain a visible|not contain (control characters|a key))/,
    from: "docs/openapi.json",
    sentence:
      "At least one visible character, no control characters, no invisible formatting characters and no key.",
  },
  {
    answer: /^INVALID_REQUEST \S+: must have 1 to \d+ characters; redaction marks do not count/,
    from: "docs/openapi.json",
    sentence: "characters; redaction marks do not count.",
  },
  {
    answer: /^INVALID_REQUEST \S+: must have (at most|1 to) \d+ bytes/,
    from: "docs/openapi.json",
    sentence: "bytes of UTF-8.",
  },
  {
    answer: /^INVALID_REQUEST url: must /,
    from: "decisions",
    sentence: "an address that is not allowed is 400 and says which rule",
  },
];

/** What was made invalid: a line each, or one. */
const invalidParts = (message: string): string[] => {
  const [, parts = ""] = message.split("Invalid component: ");
  const lines = parts.split("\n  - ");
  return lines.length > 1 ? lines.slice(1) : lines;
};

const areOrgId = (invalid: readonly string[]): boolean =>
  invalid.length > 0 && invalid.every((each) => each.includes("org_id"));
const ignoringOrgId: ReadonlySet<string> = new Set(
  operations.flatMap(({ method, path, organization }) =>
    organization === "ignored" ? [`${method} ${path}`] : [],
  ),
);

const acceptances: ReadonlyArray<
  Reason & { isMeant(exchange: Exchange, invalid: readonly string[]): boolean }
> = [
  {
    isMeant: ({ keyKind }, invalid) => keyKind !== "workspace" && areOrgId(invalid),
    from: "decisions",
    sentence:
      "organization, user, legacy and instance keys ignore its value whatever it is, also when it is too long or not text",
  },
  {
    isMeant: ({ keyKind, operation }, invalid) =>
      keyKind === "workspace" && ignoringOrgId.has(operation) && areOrgId(invalid),
    from: "decisions",
    sentence: "workspace tokens get what the table in 4 says",
  },
  {
    isMeant: (exchange) => exchange.operation === "POST /v1/learnings" && failsItsInvalidItems(exchange),
    from: "decisions",
    sentence:
      "Anything wrong inside `data[i]` (not an object, missing or mistyped field, unknown field such as `author`, too long) is that item's `INVALID_ITEM`.",
  },
];

/** Every reason, for the test that looks for those of this project in their files. */
export const reasons: readonly Reason[] = [...refusals, ...acceptances];

const batchSchema = z.looseObject({ data: z.array(z.unknown()) });
const batchAnswer = z.object({
  results: z.array(z.object({ status: z.string(), error: z.object({ code: z.string() }).optional() })),
});
const bodySchema = z.looseObject({
  properties: z.looseObject({ data: z.looseObject({ items: z.record(z.string(), z.unknown()) }) }),
});
const documentSchema = z.object({
  paths: z.object({
    "/v1/learnings": z.object({
      post: z.object({
        requestBody: z.object({
          content: z.object({ "application/json": z.object({ schema: bodySchema }) }),
        }),
      }),
    }),
  }),
});
const schemaOfBatch = documentSchema.parse(JSON.parse(readFileSync("docs/openapi.json", "utf8"))).paths[
  "/v1/learnings"
].post.requestBody.content["application/json"].schema;
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const isItem = ajv.compile(schemaOfBatch.properties.data.items);
const { items: _, ...anyItems } = schemaOfBatch.properties.data;
const isEnvelope = ajv.compile({
  ...schemaOfBatch,
  properties: { ...schemaOfBatch.properties, data: anyItems },
});

/** Only items break the document, and just these are answered with their own error. */
export function failsItsInvalidItems({
  keyKind,
  sent,
  body,
}: Pick<Exchange, "keyKind" | "sent" | "body">): boolean {
  const { org_id, ...batch } = batchSchema.parse(JSON.parse(sent));
  const { results } = batchAnswer.parse(JSON.parse(body));
  const invalid = batch.data.flatMap((item, index) => (isItem(item) ? [] : [results[index]?.error?.code]));
  const isEnvelopeValid = isEnvelope(keyKind === "workspace" ? { ...batch, org_id } : batch);
  return isEnvelopeValid && invalid.length > 0 && invalid.every((code) => code === "INVALID_ITEM");
}
