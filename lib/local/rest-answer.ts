import * as z from "zod";
import { isBinary } from "./rest-event.ts";

export type HttpAnswer = {
  readonly status: number;
  /** Name, value pairs; a name may occur several times. */
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: Buffer;
};

/** The function's answer is not a proxy answer; callers see a 502. */
export class MalformedAnswer extends Error {
  override readonly name = "MalformedAnswer";
}

const headerValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const head = {
  statusCode: z
    .union([
      z.int(),
      z
        .string()
        .regex(/^\d{3}$/)
        .transform(Number),
    ])
    .refine((status) => status >= 100 && status <= 599),
  headers: z.record(z.string(), headerValue).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(headerValue)).nullish(),
};
const bufferedAnswer = z.object({
  ...head,
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});
const streamPrelude = z.object({ ...head, cookies: z.array(z.string()).nullish() });
type AnswerHead = {
  headers?: Record<string, string> | null | undefined;
  multiValueHeaders?: Record<string, string[]> | null | undefined;
};

/** Connection headers that the gateway owns: if a function sets one, it is sent under another name. */
const remappedHeaders = new Set([
  "connection",
  "content-length",
  "content-md5",
  "date",
  "host",
  "max-forwards",
  "server",
  "trailer",
  "user-agent",
  "www-authenticate",
]);
const droppedHeaders = new Set(["te", "transfer-encoding", "upgrade"]);

/** Converts a buffered proxy answer as API Gateway does. `accept` decides whether base64 is decoded. */
export function httpAnswer(answer: unknown, accept: string, binaryMediaTypes: readonly string[]): HttpAnswer {
  const parsed = bufferedAnswer.safeParse(answer);
  if (!parsed.success) throw new MalformedAnswer(describe("answer", parsed.error));
  const { statusCode, body, isBase64Encoded } = parsed.data;
  const decode = isBase64Encoded === true && isBinary(accept.split(",", 1)[0] ?? "", binaryMediaTypes);
  return {
    status: statusCode,
    headers: withContentType(statusCode, headerPairs(parsed.data)),
    body: Buffer.from(body ?? "", decode ? "base64" : "utf8"),
  };
}

/** The head of a streamed answer: the JSON before the eight NUL bytes. */
export function streamHead(json: string): Omit<HttpAnswer, "body"> {
  const parsed = streamPrelude.safeParse(parseJson(json));
  if (!parsed.success) throw new MalformedAnswer(describe("prelude", parsed.error));
  const cookies = (parsed.data.cookies ?? []).map((cookie) => ["Set-Cookie", cookie] as const);
  return {
    status: parsed.data.statusCode,
    headers: withContentType(parsed.data.statusCode, [...headerPairs(parsed.data), ...cookies]),
  };
}

/** If both maps have a name, the values of the multi-value map are used. */
function headerPairs({ headers, multiValueHeaders }: AnswerHead): ReadonlyArray<readonly [string, string]> {
  const several = new Set(Object.keys(multiValueHeaders ?? {}).map((name) => name.toLowerCase()));
  const pairs: Array<readonly [string, string]> = [];
  for (const [name, value] of Object.entries(headers ?? {}))
    if (!several.has(name.toLowerCase())) pairs.push([name, value]);
  for (const [name, values] of Object.entries(multiValueHeaders ?? {}))
    for (const value of values) pairs.push([name, value]);
  return pairs
    .filter(([name]) => !droppedHeaders.has(name.toLowerCase()))
    .map(([name, value]) => [
      remappedHeaders.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name,
      value,
    ]);
}

/** An answer without content has no content type either. */
const withContentType = (
  status: number,
  pairs: ReadonlyArray<readonly [string, string]>,
): ReadonlyArray<readonly [string, string]> =>
  status === 204 || pairs.some(([name]) => name.toLowerCase() === "content-type")
    ? pairs
    : [...pairs, ["Content-Type", "application/json"]];

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new MalformedAnswer("The prelude is not JSON.");
  }
}

const describe = (what: string, error: z.ZodError): string =>
  `The function's ${what} is not what the gateway takes: ${error.issues
    .map((issue) => `${issue.path.join(".") || what} ${issue.message}`)
    .join("; ")}`;
