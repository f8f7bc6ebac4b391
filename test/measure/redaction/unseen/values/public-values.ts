import { createHash, createPublicKey, sign } from "node:crypto";
import { bits, der, integer, nothing, objectId, sequence, set, utcTime, utf8 } from "./der.ts";
import { ecKey, edPair, rsaPair } from "./key-pairs.ts";
import { beginLine, crc24, endLine, foldLines } from "./private-keys.ts";
import type { Random } from "./random.ts";

/** Certificates, public keys and fingerprints: they look like secrets and are none. */

const armor = (label: string, body: Buffer): string =>
  [beginLine(label), ...foldLines(body.toString("base64")), endLine(label)].join("\n");

const spkiOf = (random: Random): Buffer => {
  const key = random.pick([
    () => rsaPair(random, "public").key,
    () => ecKey(random),
    () => edPair(random).key,
  ])();
  return createPublicKey(key).export({ format: "der", type: "spki" });
};

const nameOf = (commonName: string): Buffer => sequence(set(sequence(objectId("2.5.4.3"), utf8(commonName))));

const sha256WithRsa = sequence(objectId("1.2.840.113549.1.1.11"), nothing);
const ed25519 = sequence(objectId("1.3.101.112"));

const signed = (random: Random, content: (algorithm: Buffer) => Buffer): Buffer => {
  const isRsa = random.chance(0.5);
  const algorithm = isRsa ? sha256WithRsa : ed25519;
  const body = content(algorithm);
  const signature = isRsa
    ? sign("sha256", body, rsaPair(random, "public").key)
    : sign(null, body, edPair(random).key);
  return sequence(body, algorithm, bits(signature));
};

const commonNames = ["example.com", "localhost", "internal-ca", "api.staging.example.net", "Root CA G2"];

/** A certificate that a parser accepts, signed by another key. */
export const certificate = (random: Random): string => {
  const body = signed(random, (algorithm) =>
    sequence(
      der(0xa0, integer(2)),
      integer(Buffer.concat([Buffer.from([0x41]), random.bytes(15)])),
      algorithm,
      nameOf(random.pick(commonNames)),
      sequence(utcTime("250101000000Z"), utcTime(`${random.between(30, 45)}0101000000Z`)),
      nameOf(random.pick(commonNames)),
      spkiOf(random),
    ),
  );
  return armor("CERTIFICATE", body);
};

export const certificateRequest = (random: Random): string =>
  armor(
    "CERTIFICATE REQUEST",
    signed(random, () => sequence(integer(0), nameOf(random.pick(commonNames)), spkiOf(random), der(0xa0))),
  );

export const publicKey = (random: Random): string => armor("PUBLIC KEY", spkiOf(random));

export const rsaPublicKey = (random: Random): string =>
  armor(
    "RSA PUBLIC KEY",
    createPublicKey(rsaPair(random, "public").key).export({ format: "der", type: "pkcs1" }),
  );

const field = (content: Buffer | string): Buffer => {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

const sshBlob = (random: Random): { kind: string; blob: Buffer } => {
  if (random.chance(0.5)) {
    const blob = Buffer.concat([field("ssh-ed25519"), field(edPair(random).public)]);
    return { kind: "ssh-ed25519", blob };
  }
  const { e, n } = rsaPair(random, "public").numbers;
  const blob = Buffer.concat([field("ssh-rsa"), field(e), field(Buffer.concat([Buffer.from([0]), n]))]);
  return { kind: "ssh-rsa", blob };
};

export const sshPublicKey = (random: Random): string => {
  const { kind, blob } = sshBlob(random);
  return `${kind} ${blob.toString("base64")}`;
};

export const sshFingerprint = (random: Random): string =>
  `SHA256:${createHash("sha256").update(sshBlob(random).blob).digest("base64").replace(/=+$/, "")}`;

export const pgpPublicKey = (random: Random): string => {
  const { n, e } = rsaPair(random, "public").numbers;
  const multi = (value: Buffer, bitCount: number) =>
    Buffer.concat([Buffer.from([bitCount >> 8, bitCount & 255]), value]);
  const body = Buffer.concat([
    Buffer.from([4]),
    random.bytes(4),
    Buffer.from([1]),
    multi(n, n.length * 8),
    multi(e, 17),
  ]);
  const packet = (tag: number, content: Buffer) =>
    Buffer.concat([Buffer.from([tag, content.length >> 8, content.length & 255]), content]);
  const user = Buffer.from(`Release Bot <release@example.org>`);
  const content = Buffer.concat([
    packet(0x99, body),
    Buffer.from([0xb4, user.length]),
    user,
    packet(0x89, random.bytes(310)),
  ]);
  const label = "PGP PUBLIC KEY BLOCK";
  return [
    beginLine(label),
    "",
    ...foldLines(content.toString("base64")),
    crc24(content),
    endLine(label),
  ].join("\n");
};

/** The base64 body of a DKIM record. */
export const spkiBase64 = (random: Random): string =>
  createPublicKey(rsaPair(random, "public").key).export({ format: "der", type: "spki" }).toString("base64");

/** The uncompressed point of a Web Push application server key. */
export const vapidPublicKey = (random: Random): string =>
  Buffer.concat([Buffer.from([4]), random.bytes(64)]).toString("base64url");
