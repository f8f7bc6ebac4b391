import { inspect } from "node:util";
import middy from "@middy/core";
import httpJsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { describe, expect, test } from "vitest";
import type { Operation } from "../../lib/contract/operation.ts";
import { setSeatAssignment } from "../../lib/contract/operations/users.ts";
import { peekBody } from "../../lib/http/body.ts";
import { toApiError } from "../../lib/http/errors.ts";
import { acceptBody } from "../../lib/http/middleware/accept-body.ts";
import { lambdaContext } from "../../lib/local/lambda.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { gatewayEvent } from "../support/gateway-event.ts";

/** Our gateway sends a body in base64; the API Gateway console's method test sends it as text. */
const forms = { base64: ["*/*"], text: [] } as const;

function eventWith(
  body: string | Buffer,
  form: keyof typeof forms,
  rawHeaders = ["content-type", "application/json"],
) {
  const { method, path } = setSeatAssignment;
  const request = { method, target: path, rawHeaders, body: Buffer.from(body) };
  return gatewayEvent({ ...request, operation: setSeatAssignment, binaryMediaTypes: forms[form] });
}

/** The two steps of a body, and the error that the caller sees. */
async function read(event: APIGatewayProxyEvent, operation: Operation = setSeatAssignment): Promise<unknown> {
  const about = { functionName: operation.id, timeoutMs: 1_000, clock: systemClock, random: systemRandom };
  const handler = middy<APIGatewayProxyEvent, unknown>();
  handler
    .use([acceptBody(operation), httpJsonBodyParser({ disableContentTypeCheck: true })])
    .handler(async ({ body }: APIGatewayProxyEvent) => body);
  try {
    return await handler(event, lambdaContext(about));
  } catch (error) {
    throw toApiError(error, "r1");
  }
}

const invalid = (message: string) => ({ code: "INVALID_REQUEST", message });

describe.each(["base64", "text"] as const)("a body that arrives as %s", (form) => {
  test(`a body that arrives as ${form} is parsed`, async () => {
    const event = eventWith('{"mode":"manual","org_id":"é"}', form);
    expect(peekBody(setSeatAssignment, event, "org_id")).toBe("é");
    expect(await read(event)).toEqual({ mode: "manual", org_id: "é" });
  });

  test(`a body that arrives as ${form} is measured by its decoded bytes`, async () => {
    const text = `{"mode":"manual","org_id":"${"é".repeat(50)}"}`;
    const bytes = Buffer.byteLength(text);
    const readUpTo = (bodyBytesMax: number) =>
      read(eventWith(text, form), { ...setSeatAssignment, bodyBytesMax });
    expect(await readUpTo(bytes)).toHaveProperty("mode", "manual");
    await expect(readUpTo(bytes - 1)).rejects.toMatchObject({
      code: "PAYLOAD_TOO_LARGE",
      message: `The body has ${bytes} bytes; at most ${bytes - 1} are taken. Send less at once.`,
    });
  });

  test(`a body sent as ${form} that is missing, too large or not JSON shows no field before it is accepted`, () => {
    const peek = (body: string, bodyBytesMax = 1_000) =>
      peekBody({ ...setSeatAssignment, bodyBytesMax }, eventWith(body, form), "org_id");
    expect(["", "{", '{"org_id":"ALL"}'].map((body) => peek(body))).toEqual([undefined, undefined, "ALL"]);
    expect(peek('{"org_id":"ALL"}', 15)).toBeUndefined();
  });

  test(`a body that arrives as ${form} is reported in our own words if it is missing or not JSON`, async () => {
    await expect(read(eventWith("", form))).rejects.toMatchObject(
      invalid("body: is required and must be a JSON object."),
    );
    for (const body of ["{", "nonsense", "\ufeff{}", "[".repeat(100_000), '{"a":1}}'])
      await expect(read(eventWith(body, form)), body.slice(0, 20)).rejects.toMatchObject(
        invalid("body: is not valid JSON."),
      );
  });

  test(`a body that arrives as ${form} and is optional may be missing`, async () => {
    const optional = { ...setSeatAssignment, bodyOptional: true };
    expect(await read(eventWith("", form, []), optional)).toEqual({});
  });

  test(`a body that arrives as ${form} is refused with the name of a forbidden key, at any depth`, async () => {
    for (const [key, body] of [
      ["__proto__", '{"__proto__":{"a":1},"mode":"manual"}'],
      ["__proto__", '{"data":[{"a":{"__proto__":1}}]}'],
      ["constructor", '{"constructor":{"prototype":{}}}'],
    ] as const)
      await expect(read(eventWith(body, form)), body).rejects.toMatchObject(
        invalid(`${key}: is not allowed as a key in the body.`),
      );
  });

  test(`a body that arrives as ${form} must be exactly application/json`, async () => {
    for (const type of ["application/problem+json", "application/jsonp", "text/plain", ""])
      await expect(read(eventWith("{}", form, ["content-type", type])), type).rejects.toMatchObject({
        code: "UNSUPPORTED_MEDIA_TYPE",
        message: "The body must be sent as content-type: application/json.",
      });
    const event = eventWith("{}", form, ["content-type", "application/json; charset=utf-8"]);
    expect(await read(event)).toEqual({});
  });
});

test("bytes that are not UTF-8 are reported and not replaced", async () => {
  const bytes = Buffer.concat([Buffer.from('{"mode":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
  await expect(read(eventWith(bytes, "base64"))).rejects.toMatchObject(invalid("body: is not valid UTF-8."));
  expect(await read(eventWith("{}", "base64"))).toEqual({});
});

test("the error for a body that is not JSON holds nothing of the body", async () => {
  const error: unknown = await read(eventWith('{"token":"hunter2"', "text")).catch(
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject(invalid("body: is not valid JSON."));
  expect(inspect(error)).not.toContain("hunter2");
});
