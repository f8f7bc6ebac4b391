import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { generate } from "./generate.ts";
import { type Carrier, cleanCarriers, namedPlaces, secretCarriers, tokenPlaces } from "./grammar/carriers.ts";
import { makeFromPattern } from "./grammar/pattern.ts";
import { renderTemplate } from "./grammar/template.ts";
import { wrappings } from "./grammar/wrappings.ts";
import { pem } from "./values/private-keys.ts";
import { certificate, publicKey, rsaPublicKey } from "./values/public-values.ts";
import { seededRandom } from "./values/random.ts";
import { leaks, runsOf, secretOf, textOf } from "./values/segments.ts";
import { vendorKeysByName, vendorTokens } from "./values/vendors.ts";

const everySecretCarrier = secretCarriers.length;
const everyCleanCarrier = cleanCarriers.length;
const keyOf = ({ group, name }: Carrier): string => `${group}/${name}`;
const groupsOf = (carriers: readonly Carrier[]): Set<string> => new Set(carriers.map(({ group }) => group));

const everySample = generate({ seed: 1, count: everySecretCarrier, half: "all" });

describe("the generator", () => {
  test("the generator makes the same texts from the same seed and others from another seed", () => {
    const first = generate({ seed: 7, count: 60, half: "all" });
    expect(generate({ seed: 7, count: 60, half: "all" })).toEqual(first);
    expect(generate({ seed: 8, count: 60, half: "all" })).not.toEqual(first);
  });

  test("the generator makes as many texts as asked and uses every carrier when the count allows it", () => {
    const { secrets, clean } = everySample;
    expect([secrets.length, clean.length]).toEqual([everySecretCarrier, everySecretCarrier]);
    expect(new Set(secrets.map(({ group, carrier }) => `${group}/${carrier}`)).size).toBe(everySecretCarrier);
    expect(new Set(clean.map(({ group, carrier }) => `${group}/${carrier}`)).size).toBe(everyCleanCarrier);
  });

  test("the generator records each secret as it is in its text, and the text has it nowhere else", () => {
    for (const { text, secret } of everySample.secrets) {
      const pieces = secret.split("\n").toSorted((a, b) => b.length - a.length);
      for (const piece of pieces) expect(text).toContain(piece);
      const rest = pieces.reduce((left, piece) => left.replaceAll(piece, "\u0000"), text);
      expect(leaks(secret, rest), text).toBe(false);
    }
  });

  test("the generator fills every place of a template", () => {
    const { secrets, clean } = everySample;
    expect([...secrets, ...clean].filter(({ text }) => /[⟪⟫⟨⟩■▶]/u.test(text))).toEqual([]);
  });

  test("the generator puts no generated secret into a clean text", () => {
    const { secrets, clean } = everySample;
    const cleanTexts = clean.map(({ text }) => text).join("\n");
    const long = secrets.flatMap(({ secret }) => secret.split("\n")).filter((piece) => piece.length >= 12);
    expect(long.filter((piece) => cleanTexts.includes(piece))).toEqual([]);
  });

  test("the generator keeps the halves apart, and about an eighth of the carriers held out", () => {
    const development = generate({ seed: 1, count: everySecretCarrier, half: "development" });
    const heldOut = generate({ seed: 1, count: everySecretCarrier, half: "held-out" });
    for (const kind of ["secrets", "clean"] as const) {
      const names = (samples: typeof development): Set<string> =>
        new Set(samples[kind].map(({ group, carrier }) => `${group}/${carrier}`));
      const [one, other] = [names(development), names(heldOut)];
      expect(one.isDisjointFrom(other)).toBe(true);
      expect(other.size / (one.size + other.size)).toBeGreaterThan(0.08);
      expect(other.size / (one.size + other.size)).toBeLessThan(0.17);
    }
  });

  test("the generator has wrappings and places in both halves", () => {
    for (const list of [wrappings, tokenPlaces, namedPlaces]) {
      expect(new Set(list.map(({ half }) => half))).toEqual(new Set(["development", "held-out"]));
    }
  });
});

describe("the breadth", () => {
  test("there are at least 300 secret carriers besides the vendors, in at least 20 groups", () => {
    const own = secretCarriers.filter(({ group }) => !group.startsWith("vendor "));
    expect(own.length).toBeGreaterThanOrEqual(300);
    expect(groupsOf(own).size).toBeGreaterThanOrEqual(20);
  });

  test("there are at least 200 clean carriers, and every carrier has a text", () => {
    expect(cleanCarriers.length).toBeGreaterThanOrEqual(200);
    expect([...secretCarriers, ...cleanCarriers].filter(({ template }) => template === "")).toEqual([]);
  });

  test("at least 120 vendors have a token format of their own, and 50 have keys recognized by their name", () => {
    expect(new Set(vendorTokens.map(({ vendor }) => vendor)).size).toBeGreaterThanOrEqual(120);
    expect(new Set(vendorKeysByName.map(({ vendor }) => vendor)).size).toBeGreaterThanOrEqual(50);
  });

  test("no two carriers of a group have the same name", () => {
    for (const carriers of [secretCarriers, cleanCarriers]) {
      const names = carriers.map(keyOf);
      expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    }
  });

  test("every secret carrier has a secret, and no clean carrier has one", () => {
    expect(secretCarriers.filter(({ template }) => !template.includes("⟪"))).toEqual([]);
    expect(cleanCarriers.filter(({ template }) => template.includes("⟪"))).toEqual([]);
  });
});

describe("the values", () => {
  test("generated private keys are real, apart from the OpenSSH, DSA and encrypted forms", () => {
    let parsed = 0;
    for (let at = 0; at < 60; at++) {
      const text = textOf(pem(seededRandom(`keys/${at}`)));
      if (/OPENSSH|ENCRYPTED|DSA/.test(text)) continue;
      expect(createPrivateKey(text).type).toBe("private");
      parsed++;
    }
    expect(parsed).toBeGreaterThan(15);
  });

  test("generated certificates and public keys are real", () => {
    for (let at = 0; at < 10; at++) {
      const random = seededRandom(`public/${at}`);
      expect(new X509Certificate(certificate(random)).subject).toMatch(/^CN=/);
      expect(createPublicKey(publicKey(random)).type).toBe("public");
      expect(createPublicKey(rsaPublicKey(random)).asymmetricKeyType).toBe("rsa");
    }
  });

  test("generated vendor keys follow the pattern that describes them", () => {
    for (const { pattern } of [...vendorTokens, ...vendorKeysByName]) {
      const value = makeFromPattern(pattern, seededRandom(pattern));
      expect(value).toMatch(new RegExp(`^(?:${pattern})$`));
    }
  });
});

describe("the measure", () => {
  test("the measure counts a run of 8 characters as a leak, and a shorter secret only as a whole", () => {
    expect(leaks("abcdefghijkl", "x cdefghij x")).toBe(true);
    expect(leaks("abcdefghijkl", "x cdefghi x")).toBe(false);
    expect(leaks("hunter", "x hunter x")).toBe(true);
    expect(leaks("hunter", "x hunte x")).toBe(false);
    expect(leaks("first-piece\nother-piece", "[gone] other-piece")).toBe(true);
    expect([...runsOf("123456789")]).toEqual(["12345678", "23456789"]);
  });

  test("every wrapping keeps a record of the whole key", () => {
    for (const wrapping of wrappings) {
      const random = seededRandom(`wrapping/${wrapping.name}`);
      const wrapped = wrapping.wrap(renderTemplate("token = ⟪hex40⟫\n⟪rsapem⟫", random), random);
      const pieces = secretOf(wrapped).split("\n");
      expect(pieces.join("").length, wrapping.name).toBeGreaterThan(1500);
      expect(pieces.filter((piece) => !textOf(wrapped).includes(piece))).toEqual([]);
    }
  });
});
