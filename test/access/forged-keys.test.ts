import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { fromBase32, toBase32 } from "../../lib/access/base32.ts";
import { madeUpKeyText, makeLegacyKeyText, parseKeyText } from "../../lib/access/key-text.ts";
import { keyLimits, requestLimits } from "../../lib/contract/limits.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { lastReleaseText } from "./last-release-keys.ts";

const organization = "0f8fad5b-d9cb-469f-a165-70867728950e";
const uuidBytes = Buffer.from(organization.replaceAll("-", ""), "hex");

/** Builds a key text around any bytes, with a valid checksum: this needs no secret. */
function forged(kind: string, ...hints: ReadonlyArray<Uint8Array | string>): string {
  const parts = [Buffer.alloc(keyLimits.secretBytes), ...hints.map((hint) => Buffer.from(hint))];
  const body = toBase32(Buffer.concat(parts));
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(`rk_${kind}_${body}`));
  return `rk_${kind}_${body}${toBase32(checksum)}`;
}

/** Puts the length in front of the text. */
function measured(text: string | Uint8Array): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
}

describe("a forged key text", () => {
  test.each(["organization", "user", "agentic"])(
    "a forged key text of kind %s is accepted only with a valid tenant",
    (kind) => {
      const parsed = (tenant: string | Uint8Array) =>
        parseKeyText(forged(kind, uuidBytes, measured(tenant), "ann"))?.hints;
      expect(parsed("")).toEqual({ kind, organization, tenant: `o#${organization}`, userId: "ann" });
      for (const tenant of ["w#acme", "i#forge\nx", "o#another"])
        expect(parsed(tenant)).toEqual({ kind, organization, tenant, userId: "ann" });
      for (const tenant of ["x#acme", "w#", "w", "wacme", "aw#acme", Buffer.from([0x77, 0x23, 0xff])])
        expect(parsed(tenant), String(tenant)).toBeUndefined();
      const longest = `w#${"x".repeat(4 * requestLimits.idBytesMax - 2)}`;
      expect(parsed(longest)).toMatchObject({ tenant: longest });
      expect(parsed(`${longest}x`)).toBeUndefined();
    },
  );

  test("a forged key text needs a member, and for an instance key an instance name too", () => {
    expect(parseKeyText(forged("user", uuidBytes, measured("w#acme"), ""))).toBeUndefined();
    expect(parseKeyText(forged("instance", uuidBytes, measured(""), "ann"))).toBeUndefined();
    expect(parseKeyText(forged("instance", uuidBytes, measured("forge"), ""))).toBeUndefined();
    expect(parseKeyText(forged("instance", uuidBytes, measured("forge"), "ann"))?.hints).toEqual({
      kind: "instance",
      home: organization,
      instanceId: "forge",
      userId: "ann",
    });
  });

  test("a forged key text is rejected without an exception when it is cut off anywhere", () => {
    const whole = Buffer.concat([uuidBytes, measured("w#acme"), Buffer.from("a")]);
    for (let length = 5; length < whole.length; length++)
      for (const kind of ["organization", "user", "instance"])
        expect(parseKeyText(forged(kind, whole.subarray(0, length))), `${kind} ${length}`).toBeUndefined();
    expect(parseKeyText(forged("user", whole))?.hints).toMatchObject({ userId: "a" });
  });
});

describe("a real key text", () => {
  const text = madeUpKeyText({ kind: "workspace", workspaceId: "acme" }, systemRandom);

  test("a real key text is valid only without any characters before or after it", () => {
    const legacy = makeLegacyKeyText(systemRandom);
    for (const real of [text, legacy]) {
      expect(parseKeyText(real)).toBeDefined();
      for (const other of [`x${real}`, `${real}\n`, `${real}_`, ` ${real}`, `${real} `])
        expect(parseKeyText(other), JSON.stringify(other)).toBeUndefined();
    }
  });

  test("a real key text contains its id; a text of before gets its id from the beginning of its hash", () => {
    const before = lastReleaseText(text);
    const digest = (of: string) => createHash("sha256").update(of).digest();
    expect(parseKeyText(before)).toMatchObject({
      hash: digest(before).toString("hex"),
      id: `k${toBase32(digest(before).subarray(0, 10))}`,
      hints: { kind: "workspace", workspaceId: "acme" },
    });
    const bytes = fromBase32(text.slice("rk_workspace_".length, -7)) ?? new Uint8Array();
    expect(parseKeyText(text)).toMatchObject({
      hash: digest(text).toString("hex"),
      id: `k${toBase32(bytes.subarray(24, 34))}`,
    });
  });

  test("a release that does not know the id in a text refuses the text by its checksum", () => {
    const body = text.slice("rk_workspace_".length, -7);
    const checksum = (of: string) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(crc32(of));
      return toBase32(bytes);
    };
    expect(text.slice(-7)).toBe(checksum(`rk_workspace_${body}#id`));
    expect(text.slice(-7)).not.toBe(checksum(`rk_workspace_${body}`));
  });

  test("a real key text of a stand-alone organization does not repeat the organization as its tenant", () => {
    const alone = madeUpKeyText(
      { kind: "user", organization, tenant: `o#${organization}`, userId: "ann" },
      systemRandom,
    );
    const bytes = fromBase32(alone.slice("rk_user_".length, -7));
    expect(bytes).toHaveLength(keyLimits.secretBytes + 10 + 16 + 2 + 3);
  });
});

test("base32 uses only the characters of its alphabet and rejects all others", () => {
  expect(toBase32(new Uint8Array(5))).toBe("aaaaaaaa");
  expect(toBase32(new Uint8Array(0))).toBe("");
  for (const other of ["a1", "A", "a=", "0"]) expect(fromBase32(other)).toBeUndefined();
});
