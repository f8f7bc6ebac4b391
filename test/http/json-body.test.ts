import { describe, expect, test } from "vitest";
import { lambdaContext } from "../../cli/local/lambda.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import { setSeatAssignment } from "../../lib/contract/operations/users.ts";
import { createBodyReader, peekBody } from "../../lib/http/json-body.ts";
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

const context = lambdaContext({
  functionName: "setSeatAssignment",
  timeoutMs: 1_000,
  clock: systemClock,
  random: systemRandom,
});

const read = (event: ReturnType<typeof eventWith>, operation: Operation = setSeatAssignment) =>
  createBodyReader(operation)(event, context);

describe.each(["base64", "text"] as const)("a body that arrives as %s", (form) => {
  test(`a body that arrives as ${form} is parsed`, () => {
    const event = eventWith('{"mode":"manual","org_id":"é"}', form);
    expect(peekBody(event, "org_id")).toBe("é");
    expect(read(event)).toEqual({ value: { mode: "manual", org_id: "é" } });
  });

  test(`a body that arrives as ${form} is measured by its decoded bytes`, () => {
    const text = `{"mode":"manual","org_id":"${"é".repeat(50)}"}`;
    const bytes = Buffer.byteLength(text);
    const readUpTo = (bodyBytesMax: number) =>
      read(eventWith(text, form), { ...setSeatAssignment, bodyBytesMax });
    expect(readUpTo(bytes)).toHaveProperty("value");
    expect(() => readUpTo(bytes - 1)).toThrow(
      `The body has ${bytes} bytes; at most ${bytes - 1} are taken. Send less at once.`,
    );
  });

  test(`a body that arrives as ${form} has no field before validation if it is missing or not JSON`, () => {
    for (const body of ["", "{"]) expect(peekBody(eventWith(body, form), "org_id")).toBeUndefined();
  });

  test(`a body that arrives as ${form} is reported in our own words if it is missing or not JSON`, () => {
    expect(read(eventWith("", form))).toEqual({ problem: "body: is required and must be a JSON object." });
    for (const body of ["{", "nonsense", "\ufeff{}", "[".repeat(100_000), '{"a":1}}'])
      expect(read(eventWith(body, form)), body.slice(0, 20)).toEqual({ problem: "body: is not valid JSON." });
  });

  test(`a body that arrives as ${form} keeps a key that middy's parser refuses, so that the schema can name it`, () => {
    const { value } = read(eventWith('{"__proto__":{"a":1},"mode":"manual"}', form)) as { value: object };
    expect(Object.keys(value)).toEqual(["__proto__", "mode"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test(`a body that arrives as ${form} must be exactly application/json`, () => {
    for (const type of ["application/problem+json", "application/jsonp", "text/plain", ""])
      expect(() => read(eventWith("{}", form, ["content-type", type])), type).toThrow(
        "The body must be sent as content-type: application/json.",
      );
    expect(read(eventWith("{}", form, ["content-type", "application/json; charset=utf-8"]))).toEqual({
      value: {},
    });
  });
});

test("bytes that are not UTF-8 are reported and not replaced", () => {
  const bytes = Buffer.concat([Buffer.from('{"mode":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
  expect(read(eventWith(bytes, "base64"))).toEqual({ problem: "body: is not valid UTF-8." });
  expect(read(eventWith("{}", "base64"))).toEqual({ value: {} });
});
