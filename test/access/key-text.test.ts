import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { fromBase32, toBase32 } from "../../lib/access/base32.ts";
import {
  type KeyHints,
  madeUpKeyText,
  makeLegacyKeyText,
  parseKeyText,
  sameHash,
} from "../../lib/access/key-text.ts";
import { requestLimits } from "../../lib/contract/limits.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import fc from "../support/property.ts";

const uuid = fc.uuid();
const id = fc.string({ minLength: 1, maxLength: 80, unit: "grapheme" });
const hints: fc.Arbitrary<KeyHints> = fc.oneof(
  fc.tuple(uuid, id).map(
    ([organization, userId]): KeyHints => ({
      kind: "organization",
      organization,
      tenant: `o#${organization}`,
      userId,
    }),
  ),
  fc.tuple(uuid, id, id, fc.constantFrom("organization", "user", "agentic")).map(
    ([organization, instance, userId, kind]): KeyHints => ({
      kind,
      organization,
      tenant: `i#${instance}`,
      userId,
    }),
  ),
  id.map((workspaceId): KeyHints => ({ kind: "workspace", workspaceId })),
  fc
    .tuple(uuid, id, id)
    .map(([home, instanceId, userId]): KeyHints => ({ kind: "instance", home, instanceId, userId })),
);

describe("the text of a key", () => {
  test("the text of a key contains every hint that it was made from", () => {
    fc.assert(
      fc.property(hints, (given) => {
        expect(parseKeyText(madeUpKeyText(given, systemRandom))?.hints).toEqual(given);
      }),
    );
  });

  test("the text of a key has room for the longest possible ids", () => {
    const longest = "%23".repeat(requestLimits.idBytesMax);
    const organization = "0f8fad5b-d9cb-469f-a165-70867728950e";
    const userId = "u".repeat(requestLimits.idBytesMax);
    const given = { kind: "organization", organization, tenant: `w#${longest}`, userId } as const;
    expect(parseKeyText(madeUpKeyText(given, systemRandom))?.hints).toEqual(given);
  });

  test("the text of a key matches the published pattern and shows the kind of the key", () => {
    fc.assert(
      fc.property(hints, (given) => {
        expect(madeUpKeyText(given, systemRandom)).toMatch(new RegExp(`^rk_${given.kind}_[a-z2-7]{47,}$`));
      }),
    );
  });

  test("a key text with one mistyped character is refused without a read", () => {
    const text = madeUpKeyText({ kind: "workspace", workspaceId: "acme" }, systemRandom);
    const alphabet = "abcdefghijklmnopqrstuvwxyz234567_";
    for (let index = 0; index < text.length; index++) {
      for (const character of alphabet) {
        if (character === text[index]) continue;
        const mistyped = text.slice(0, index) + character + text.slice(index + 1);
        expect(parseKeyText(mistyped), mistyped).toBeUndefined();
      }
    }
  });

  test("the text of a key is not parsed from any other text", () => {
    for (const text of [
      "",
      " ",
      "rk_",
      "rk_user_",
      "cr-",
      `cr-${"A".repeat(40)}`,
      `cr-${"a".repeat(41)}`,
      "Bearer x",
    ]) {
      expect(parseKeyText(text)).toBeUndefined();
    }
    expect(parseKeyText(`rk_root_${"a".repeat(60)}`)).toBeUndefined();
  });

  test("the text of a key is rejected if its bytes are no valid id, even with a valid checksum", () => {
    const sealed = (kind: "workspace" | "user", hint: Buffer) => {
      const organization = "0f8fad5b-d9cb-469f-a165-70867728950e";
      const marked = "x".repeat(hint.length);
      const random = { ...systemRandom, bytes: (count: number) => new Uint8Array(count) };
      const text =
        kind === "workspace"
          ? madeUpKeyText({ kind, workspaceId: marked }, random)
          : madeUpKeyText({ kind, organization, tenant: `o#${organization}`, userId: marked }, random);
      const bytes = Buffer.from(fromBase32(text.slice(`rk_${kind}_`.length, -7)) ?? []);
      hint.copy(bytes, bytes.length - hint.length);
      const body = toBase32(bytes);
      const checksum = Buffer.alloc(4);
      checksum.writeUInt32BE(crc32(`rk_${kind}_${body}#id`));
      return `rk_${kind}_${body}${toBase32(checksum)}`;
    };
    for (const kind of ["workspace", "user"] as const) {
      expect(parseKeyText(sealed(kind, Buffer.from("acme")))?.hints.kind).toBe(kind);
      expect(parseKeyText(sealed(kind, Buffer.alloc(40, 0xff)))).toBeUndefined();
      expect(parseKeyText(sealed(kind, Buffer.alloc(900, 0x61)))).toBeUndefined();
    }
  });

  test("the text of a key contains 192 random bits, and no two texts are equal", () => {
    const secret = Buffer.from(systemRandom.bytes(24));
    const random = { ...systemRandom, bytes: (count: number) => secret.subarray(0, count) };
    const text = madeUpKeyText({ kind: "workspace", workspaceId: "a" }, random);
    const body = fromBase32(text.slice("rk_workspace_".length, -7));
    expect(body && Buffer.from(body).subarray(0, 24)).toEqual(secret);
    const texts = Array.from({ length: 50 }, () =>
      madeUpKeyText({ kind: "workspace", workspaceId: "a" }, systemRandom),
    );
    expect(new Set(texts).size).toBe(50);
  });

  test("the text of a legacy key keeps its old form and names no organization", () => {
    const text = makeLegacyKeyText(systemRandom);
    expect(text).toMatch(/^cr-[0-9a-f]{40}$/);
    expect(parseKeyText(text)?.hints).toEqual({ kind: "legacy" });
  });
});

test("base32 decodes to the bytes that were encoded", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(fromBase32(toBase32(bytes))).toEqual(bytes);
    }),
  );
});

test("hashes of different lengths are unequal and cause no exception", () => {
  expect(sameHash("aa", "aaa")).toBe(false);
  expect(sameHash("aa", "ab")).toBe(false);
  expect(sameHash("aa", "aa")).toBe(true);
});
