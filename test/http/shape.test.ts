import { describe, expect, test } from "vitest";
import { restEvent } from "../../cli/local/rest-event.ts";
import { setSeatAssignment } from "../../lib/contract/operations/users.ts";
import { peekBody, readInput } from "../../lib/http/shape.ts";
import { systemChance } from "../../lib/runtime/chance.ts";
import { systemClock } from "../../lib/runtime/clock.ts";

/** As our gateway sends a body, in base64, or as its console does when a method is tried there: as text. */
const forms = { base64: ["*/*"], text: [] } as const;

function eventWith(body: string, form: keyof typeof forms) {
  const { method, path } = setSeatAssignment;
  const rawHeaders = ["content-type", "application/json"];
  return restEvent(
    { method, target: path, rawHeaders, body: Buffer.from(body), sourceAddress: "203.0.113.7", port: 443 },
    { resource: path, pathParameters: {}, operation: setSeatAssignment },
    { clock: systemClock, chance: systemChance, stage: "live", binaryMediaTypes: forms[form] },
  );
}

describe.each(["base64", "text"] as const)("a body that comes as %s", (form) => {
  test("is read", () => {
    const event = eventWith('{"mode":"manual","org_id":"é"}', form);
    expect(readInput(setSeatAssignment, event)).toMatchObject({
      input: { body: { mode: "manual", org_id: "é" } },
      problems: [],
    });
    expect(peekBody(event, "org_id")).toBe("é");
  });

  test("is measured by its own bytes", () => {
    const text = `{"mode":"manual","org_id":"${"é".repeat(50)}"}`;
    const bodyBytesMax = Buffer.byteLength(text);
    const read = (max: number) =>
      readInput({ ...setSeatAssignment, bodyBytesMax: max }, eventWith(text, form));
    expect(read(bodyBytesMax).problems).toEqual([]);
    expect(() => read(bodyBytesMax - 1)).toThrow(
      `The body has ${bodyBytesMax} bytes; at most ${bodyBytesMax - 1} are taken. Send less at once.`,
    );
  });

  test("says nothing before it is judged where there is none, or it is no JSON", () => {
    for (const body of ["", "{"]) expect(peekBody(eventWith(body, form), "org_id")).toBeUndefined();
  });
});
