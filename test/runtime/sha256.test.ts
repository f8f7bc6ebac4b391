import { createHash, createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { Sha256 } from "../../lib/runtime/sha256.ts";

const digestOf = async (secret?: ConstructorParameters<typeof Sha256>[0]) => {
  const hash = new Sha256(secret);
  for (const chunk of ["é", "😀"]) hash.update(Buffer.from(chunk));
  return Buffer.from(await hash.digest()).toString("hex");
};

describe("the hash of signatures", () => {
  test("the hash of signatures is SHA-256 of all chunks", async () => {
    expect(await digestOf()).toBe(createHash("sha256").update("é😀").digest("hex"));
  });

  test.each([
    ["text", "secret"],
    ["bytes", Buffer.from("secret")],
    ["a part of more bytes", new Uint8Array(Buffer.from("a secret.")).subarray(2, 8)],
    ["a buffer", new Uint8Array(Buffer.from("secret")).buffer],
  ])("the hash of signatures accepts %s as its key, repeatedly", async (_, secret) => {
    const expected = createHmac("sha256", "secret").update("é😀").digest("hex");
    expect([await digestOf(secret), await digestOf(secret)]).toEqual([expected, expected]);
  });
});
