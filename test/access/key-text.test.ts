import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromBase32, toBase32 } from "../../lib/access/base32.ts";
import {
  type KeyHints,
  makeKeyText,
  makeLegacyKeyText,
  parseKeyText,
  sameHash,
} from "../../lib/access/key-text.ts";
import { systemChance } from "../../lib/runtime/chance.ts";

const uuid = fc.uuid();
const id = fc.string({ minLength: 1, maxLength: 80, unit: "grapheme" });
const hints: fc.Arbitrary<KeyHints> = fc.oneof(
  uuid.map((organization): KeyHints => ({ kind: "organization", organization, tenant: `o#${organization}` })),
  fc.tuple(uuid, id).map(
    ([organization, workspace]): KeyHints => ({
      kind: "organization",
      organization,
      tenant: `w#${workspace}`,
    }),
  ),
  fc.tuple(uuid, id, id, fc.constantFrom("user", "agentic")).map(
    ([organization, instance, userId, kind]): KeyHints => ({
      kind,
      organization,
      tenant: `i#${instance}`,
      userId,
    }),
  ),
  id.map((workspaceId): KeyHints => ({ kind: "workspace", workspaceId })),
  fc.tuple(uuid, id).map(([home, instanceId]): KeyHints => ({ kind: "instance", home, instanceId })),
);

describe("the text of a key", () => {
  test("gives back every hint it was made from", () => {
    fc.assert(
      fc.property(hints, (given) => {
        expect(parseKeyText(makeKeyText(given, systemChance))?.hints).toEqual(given);
      }),
    );
  });

  test("matches the published pattern and tells its kind", () => {
    fc.assert(
      fc.property(hints, (given) => {
        expect(makeKeyText(given, systemChance)).toMatch(
          /^rk_(organization|user|workspace|instance|agentic)_[a-z2-7]{47,}$/,
        );
      }),
    );
  });

  test("with one character mistyped is refused without a read", () => {
    const text = makeKeyText({ kind: "workspace", workspaceId: "acme" }, systemChance);
    const alphabet = "abcdefghijklmnopqrstuvwxyz234567_";
    for (let index = 0; index < text.length; index++) {
      for (const character of alphabet) {
        if (character === text[index]) continue;
        const mistyped = text.slice(0, index) + character + text.slice(index + 1);
        expect(parseKeyText(mistyped), mistyped).toBeUndefined();
      }
    }
  });

  test("is never parsed from anything else", () => {
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

  test("carries at least 192 random bits", () => {
    const texts = Array.from({ length: 50 }, () =>
      makeKeyText({ kind: "workspace", workspaceId: "a" }, systemChance),
    );
    expect(new Set(texts.map((text) => text.slice(0, "rk_workspace_".length + 38))).size).toBe(50);
    expect(systemChance.bytes(24).length * 8).toBe(192);
  });

  test("of a legacy key keeps its old shape and names nothing", () => {
    const text = makeLegacyKeyText(systemChance);
    expect(text).toMatch(/^cr-[0-9a-f]{40}$/);
    expect(parseKeyText(text)?.hints).toEqual({ kind: "legacy" });
  });
});

test("base32 gives back what it was given", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(fromBase32(toBase32(bytes))).toEqual(bytes);
    }),
  );
});

test("hashes of different length are different, not an exception", () => {
  expect(sameHash("aa", "aaa")).toBe(false);
  expect(sameHash("aa", "ab")).toBe(false);
  expect(sameHash("aa", "aa")).toBe(true);
});
