import { readFile } from "node:fs/promises";
import * as z from "zod";

/** A request that Schemathesis sent, with what it says of the answer. */
export type Exchange = {
  readonly operation: string;
  /** Whether the request is as the document allows it. */
  readonly isValid: boolean;
  readonly keyKind: string;
  readonly status: number;
  readonly body: string;
  /** The body of the request. */
  readonly sent: string;
  /** One line, to send it again. */
  readonly request: string;
  readonly failures: readonly Failure[];
};
export type Failure = { readonly check: string; readonly message: string };

const bytes = z
  .union([z.string(), z.object({ $base64: z.string() })])
  .transform((content) =>
    typeof content === "string" ? content : Buffer.from(content.$base64, "base64").toString(),
  );
const caseSchema = z.object({
  value: z.object({
    method: z.string(),
    path: z.string(),
    meta: z.object({ generation: z.object({ mode: z.enum(["positive", "negative"]) }) }).nullish(),
  }),
  parent_id: z.string().nullish(),
});
const interactionSchema = z.object({
  request: z.object({
    method: z.string(),
    uri: z.string(),
    headers: z.record(z.string(), z.array(z.string())),
    body: bytes.nullish(),
  }),
  response: z.object({ status_code: z.int(), content: bytes.nullish() }).nullish(),
});
const checkSchema = z.object({
  name: z.string(),
  failure_info: z.object({ failure: z.object({ title: z.string(), message: z.string() }) }).nullish(),
});
const recorderSchema = z.object({
  cases: z.record(z.string(), caseSchema),
  interactions: z.record(z.string(), interactionSchema),
  checks: z.record(z.string(), z.array(checkSchema)),
});
const eventSchema = z.looseObject({
  ScenarioFinished: z.looseObject({ recorder: z.looseObject({}) }).optional(),
  NonFatalError: z.unknown().optional(),
  FatalError: z.unknown().optional(),
});

/** The report of a run, a JSON object a line. Throws if Schemathesis itself failed. */
export async function readExchanges(file: string): Promise<Exchange[]> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line) => {
    const event = eventSchema.parse(JSON.parse(line));
    const error = event.NonFatalError ?? event.FatalError;
    if (error !== undefined) throw new Error(`Schemathesis failed: ${JSON.stringify(error).slice(0, 2000)}`);
    const { recorder } = event.ScenarioFinished ?? {};
    return recorder && "cases" in recorder ? exchangesOf(recorderSchema.parse(recorder)) : [];
  });
}

function exchangesOf({ cases, interactions, checks }: z.output<typeof recorderSchema>): Exchange[] {
  return Object.entries(interactions).flatMap(([id, { request, response }]) => {
    const sent = cases[id];
    if (!sent || !response) return [];
    const { method, path, meta } = sent.value;
    const [key = "none"] = request.headers["x-service-api-key"] ?? [];
    return [
      {
        operation: `${method} ${path}`,
        isValid: meta?.generation.mode === "positive",
        keyKind: /^rk_([a-z]+)_/.exec(key)?.[1] ?? (key.startsWith("cr-") ? "legacy" : key),
        status: response.status_code,
        body: response.content ?? "",
        sent: request.body ?? "",
        request: `${request.method} ${request.uri} ${request.body ?? ""}`,
        failures: (checks[id] ?? []).flatMap(({ name, failure_info: info }) =>
          info ? [{ check: name, message: `${info.failure.title}: ${info.failure.message}` }] : [],
        ),
      },
    ];
  });
}
