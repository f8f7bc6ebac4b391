import { checkPrimeSync, createECDH, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { type Random, seededRandom } from "./random.ts";

/** Key pairs that follow from the seed alone; `generateKeyPairSync` would give other keys in every run. */

const toBigInt = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString("hex")}`);
const toBytes = (value: bigint): Buffer => {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
};
const base64url = (value: bigint): string => toBytes(value).toString("base64url");

function inverse(value: bigint, modulus: bigint): bigint {
  let [r, nextR, t, nextT] = [modulus, value % modulus, 0n, 1n];
  while (nextR > 0n) {
    const quotient = r / nextR;
    [r, nextR, t, nextT] = [nextR, r - quotient * nextR, nextT, t - quotient * nextT];
  }
  return t < 0n ? t + modulus : t;
}

const exponent = 65_537n;

function prime(random: Random, bitCount: number): bigint {
  for (;;) {
    const bytes = random.bytes(bitCount / 8);
    bytes[0] = (bytes[0] ?? 0) | 0xc0;
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 1;
    const candidate = toBigInt(bytes);
    if ((candidate - 1n) % exponent !== 0n && checkPrimeSync(candidate)) return candidate;
  }
}

export type RsaNumbers = { n: Buffer; e: Buffer; d: Buffer; p: Buffer; q: Buffer; qi: Buffer };
export type RsaPair = { key: KeyObject; numbers: RsaNumbers };

const rsaPairs = new Map<string, RsaPair>();
/** RSA keys are slow to make, so each seed shares a few of them. */
const rsaKeysPerSeed = 2;

/** A modulus stands in the private key too, so a key that is shown as public never is a secret elsewhere. */
export function rsaPair(random: Random, purpose: "private" | "public"): RsaPair {
  const [root = ""] = random.seed.split("/");
  const name = `${root}/rsa/${purpose}/${random.int(rsaKeysPerSeed)}`;
  const known = rsaPairs.get(name);
  if (known) return known;
  const own = seededRandom(name);
  const [p, q] = [prime(own, 1024), prime(own, 1024)];
  const n = p * q;
  const d = inverse(exponent, (p - 1n) * (q - 1n));
  const qi = inverse(q, p);
  const key = createPrivateKey({
    format: "jwk",
    key: {
      kty: "RSA",
      n: base64url(n),
      e: base64url(exponent),
      d: base64url(d),
      p: base64url(p),
      q: base64url(q),
      dp: base64url(d % (p - 1n)),
      dq: base64url(d % (q - 1n)),
      qi: base64url(qi),
    },
  });
  const numbers = {
    n: toBytes(n),
    e: toBytes(exponent),
    d: toBytes(d),
    p: toBytes(p),
    q: toBytes(q),
    qi: toBytes(qi),
  };
  const pair = { key, numbers };
  rsaPairs.set(name, pair);
  return pair;
}

const curves = [
  { name: "prime256v1", crv: "P-256", size: 32 },
  { name: "secp384r1", crv: "P-384", size: 48 },
  { name: "secp256k1", crv: "secp256k1", size: 32 },
] as const;

export function ecKey(random: Random): KeyObject {
  const curve = random.pick(curves);
  const scalar = random.bytes(curve.size);
  scalar[0] = (scalar[0] ?? 0) & 0x7f;
  const agreement = createECDH(curve.name);
  agreement.setPrivateKey(scalar);
  const point = agreement.getPublicKey();
  return createPrivateKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: curve.crv,
      x: point.subarray(1, 1 + curve.size).toString("base64url"),
      y: point.subarray(1 + curve.size).toString("base64url"),
      d: scalar.toString("base64url"),
    },
  });
}

export type EdPair = { key: KeyObject; secret: Buffer; public: Buffer };

export function edPair(random: Random): EdPair {
  const secret = random.bytes(32);
  const prefix = Buffer.from("302e020100300506032b657004220420", "hex");
  const key = createPrivateKey({ format: "der", type: "pkcs8", key: Buffer.concat([prefix, secret]) });
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  return { key, secret, public: spki.subarray(-32) };
}
