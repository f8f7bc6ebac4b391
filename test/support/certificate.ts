import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A value in DER: its tag, its length, its content. */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const length =
    content.length < 0x80 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
const sequence = (...contents: readonly Uint8Array[]) => der(0x30, ...contents);
const oid = (...bytes: readonly number[]) => der(0x06, Buffer.from(bytes));
const utcTime = (text: string) => der(0x17, Buffer.from(text));

const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const commonName = oid(0x55, 0x04, 0x03);
const subjectAlternativeName = oid(0x55, 0x1d, 0x11);

/** A self-signed certificate for 127.0.0.1 and its key: created each time, so no secret is stored. */
export function selfSignedCertificate(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from("127.0.0.1")))));
  const addresses = sequence(der(0x87, Buffer.from([127, 0, 0, 1])));
  const described = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(utcTime("200101000000Z"), utcTime("491231235959Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(subjectAlternativeName, der(0x04, addresses)))),
  );
  return { key: pemOf(privateKey), cert: pem("CERTIFICATE", signed(described, privateKey)) };
}

const signed = (described: Buffer, key: KeyObject) =>
  sequence(described, ecdsaWithSha256, der(0x03, Buffer.from([0]), sign("sha256", described, key)));
const pemOf = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }).toString();
const pem = (label: string, bytes: Buffer) =>
  `-----BEGIN ${label}-----\n${bytes.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END ${label}-----\n`;
