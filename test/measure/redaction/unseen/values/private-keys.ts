import { integer, nothing, objectId, octets, sequence } from "./der.ts";
import { ecKey, edPair, rsaPair } from "./key-pairs.ts";
import type { Random } from "./random.ts";
import { plain, runLength, type Segment, secret } from "./segments.ts";

/** Private keys in every text form that tools write. The body is secret, header and footer are not. */

export const foldLines = (text: string, width = 64): string[] =>
  text.match(new RegExp(`.{1,${width}}`, "g")) ?? [];

const dashes = "-".repeat(5);
export const beginLine = (label: string): string => `${dashes}BEGIN ${label}${dashes}`;
export const endLine = (label: string): string => `${dashes}END ${label}${dashes}`;

const privateKey = "PRIVATE KEY";

/** A last line shorter than a run tells nothing, so it does not count as secret. */
const bodyLine = (line: string): Segment =>
  line.length < runLength ? plain(`${line}\n`) : secret(`${line}\n`);

const armored = (label: string, body: Buffer, headers: readonly string[] = [], width = 64): Segment[] => [
  plain(`${beginLine(label)}\n`),
  ...headers.map((header) => plain(`${header}\n`)),
  ...foldLines(body.toString("base64"), width).map(bodyLine),
  plain(endLine(label)),
];

const exportDer = (
  key: { export(options: { format: "der"; type: "pkcs1" | "sec1" | "pkcs8" }): Buffer },
  type: "pkcs1" | "sec1" | "pkcs8",
): Buffer => key.export({ format: "der", type });

const field = (content: Buffer | string): Buffer => {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

function openSsh(random: Random): Segment[] {
  const pair = edPair(random);
  const publicPart = Buffer.concat([field("ssh-ed25519"), field(pair.public)]);
  const check = random.bytes(4);
  const secretPart = Buffer.concat([
    check,
    check,
    publicPart,
    field(Buffer.concat([pair.secret, pair.public])),
    field(`${random.pick(["deploy", "ci", "build", "ops"])}@${random.pick(["host", "runner", "laptop"])}`),
  ]);
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]).subarray(0, (8 - (secretPart.length % 8)) % 8);
  const body = Buffer.concat([
    Buffer.from("openssh-key-v1\u0000"),
    field("none"),
    field("none"),
    field(""),
    Buffer.from([0, 0, 0, 1]),
    field(publicPart),
    field(Buffer.concat([secretPart, padding])),
  ]);
  return armored(`OPENSSH ${privateKey}`, body, [], 70);
}

function encryptedPkcs8(random: Random): Segment[] {
  const parameters = sequence(
    sequence(
      objectId("1.2.840.113549.1.5.12"),
      sequence(
        octets(random.bytes(8)),
        integer(Buffer.from([8, 0])),
        sequence(objectId("1.2.840.113549.2.9"), nothing),
      ),
    ),
    sequence(objectId("2.16.840.1.101.3.4.1.42"), octets(random.bytes(16))),
  );
  const body = sequence(
    sequence(objectId("1.2.840.113549.1.5.13"), parameters),
    octets(random.bytes(16 * random.between(8, 76))),
  );
  return armored(`ENCRYPTED ${privateKey}`, body);
}

const encryptedTraditional = (random: Random): Segment[] =>
  armored(`${random.pick(["RSA", "EC", "DSA"])} ${privateKey}`, random.bytes(16 * random.between(7, 74)), [
    "Proc-Type: 4,ENCRYPTED",
    `DEK-Info: AES-256-CBC,${random.bytes(16).toString("hex").toUpperCase()}`,
    "",
  ]);

function dsa(random: Random): Segment[] {
  const numbers = [256, 32, 256, 256, 32].map((size) => integer(random.bytes(size)));
  return armored(`DSA ${privateKey}`, sequence(integer(0), ...numbers));
}

export function crc24(content: Buffer): string {
  let crc = 0xb704ce;
  for (const byte of content) {
    crc ^= byte << 16;
    for (let bit = 0; bit < 8; bit++) {
      crc <<= 1;
      if (crc & 0x1000000) crc ^= 0x1864cfb;
    }
  }
  return `=${Buffer.from([(crc >> 16) & 255, (crc >> 8) & 255, crc & 255]).toString("base64")}`;
}

function pgp(random: Random): Segment[] {
  const size = random.between(500, 900);
  const packet = Buffer.concat([Buffer.from([0x95, size >> 8, size & 255, 4]), random.bytes(size - 1)]);
  const label = `PGP ${privateKey} BLOCK`;
  return [
    plain(`${beginLine(label)}\n`),
    plain(random.chance(0.5) ? "Version: GnuPG v2\n\n" : "\n"),
    ...foldLines(packet.toString("base64")).map(bodyLine),
    plain(`${crc24(packet)}\n${endLine(label)}`),
  ];
}

function putty(random: Random): Segment[] {
  const pair = edPair(random);
  const publicBody = Buffer.concat([field("ssh-ed25519"), field(pair.public)]).toString("base64");
  const secretBody = field(pair.secret).toString("base64");
  return [
    plain(
      `PuTTY-User-Key-File-${random.pick(["2", "3"])}: ssh-ed25519\nEncryption: none\nComment: imported\n`,
    ),
    plain(`Public-Lines: 2\n${foldLines(publicBody).join("\n")}\nPrivate-Lines: 1\n`),
    secret(`${secretBody}\n`),
    plain(`Private-MAC: ${random.bytes(32).toString("hex")}`),
  ];
}

function ssh2(random: Random): Segment[] {
  const label = `SSH2 ENCRYPTED ${privateKey}`;
  return [
    plain(`---- BEGIN ${label} ----\n`),
    plain('Comment: "rsa-key"\n'),
    ...foldLines(random.bytes(random.between(400, 700)).toString("base64"), 70).map(bodyLine),
    plain(`---- END ${label} ----`),
  ];
}

const makers: readonly ((random: Random) => Segment[])[] = [
  (random) => armored(`RSA ${privateKey}`, exportDer(rsaPair(random, "private").key, "pkcs1")),
  (random) => armored(privateKey, exportDer(rsaPair(random, "private").key, "pkcs8")),
  (random) => armored(`EC ${privateKey}`, exportDer(ecKey(random), "sec1")),
  (random) => armored(privateKey, exportDer(ecKey(random), "pkcs8")),
  (random) => armored(privateKey, exportDer(edPair(random).key, "pkcs8")),
  openSsh,
  encryptedPkcs8,
  encryptedTraditional,
  dsa,
];

/** A PEM key of any kind. */
export const pem = (random: Random): Segment[] => random.pick(makers)(random);
export const rsaPem = (random: Random): Segment[] =>
  random.pick([
    () => armored(`RSA ${privateKey}`, exportDer(rsaPair(random, "private").key, "pkcs1")),
    () => armored(privateKey, exportDer(rsaPair(random, "private").key, "pkcs8")),
  ])();
export const ecPem = (random: Random): Segment[] =>
  armored(`EC ${privateKey}`, exportDer(ecKey(random), "sec1"));
/** A key whose end was cut off, as in a screenshot's transcript or a truncated log. */
export function cutPem(random: Random): Segment[] {
  const whole = rsaPem(random);
  return whole.slice(0, random.between(4, whole.length - 2));
}
export const pgpKey = pgp;
export const puttyKey = putty;
export const ssh2Key = ssh2;
export const opensshKey = openSsh;
