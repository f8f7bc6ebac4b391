import { pattern } from "./words.ts";

/** Recognizes the content of base64 text by its first bytes. */

const decodedLengthMax = 96;

/** Returns the first bytes of a base64 text as characters. Ignores characters that are not base64. */
export function decodeStart(encoded: string, lengthMax = decodedLengthMax): string {
  const whole = encoded.slice(0, lengthMax).replace(/[^A-Za-z0-9+/]/g, "");
  return atob(whole.length % 4 === 1 ? whole.slice(0, -1) : whole);
}

const documentLengthMax = 8_192;
const documentCredential = pattern(
  "i",
  String.raw`-----BEGIN [A-Z ]{0,20}PRIVATE KEY|\b(?:private_?key|client_?secret|secret_?key|refresh_?token|access_?token|client-key-data|token`,
  String.raw`|password)["']?\s?[:=]\s?["']?[^\s"',;}]{6}|(?:^|\n)[A-Z_]{0,40}(?:PASSWORD|SECRET|TOKEN|API_KEY)[A-Z_]{0,40}=\S{6}`,
);
/** For base64 of JSON or YAML: whether the document has a credential, as the key of a service account has. */
export const holdsCredential = (encoded: string): boolean => documentCredential.test(decodeStart(encoded, documentLengthMax));

const sequence = 0x30;
const integer = 0x02;
const objectId = 0x06;

/** Returns the start of the content of the DER element at `at`. */
function contentAt(bytes: string, at: number): number {
  const length = bytes.charCodeAt(at + 1);
  return at + 2 + (length > 0x80 ? length - 0x80 : 0);
}

/** The length of the algorithm's id and the id itself, up to the number that differs between versions. */
const encryptingAlgorithms = ["\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05", "\x0a\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x01"];

type Decoded = "private key" | "public" | undefined;

/** PKCS #1, #8 and #12 and SEC 1 begin with a small version number; certificates and public keys do not. */
function derMeaning(bytes: string): Decoded {
  if (bytes.charCodeAt(0) !== sequence || bytes.length < 16) return undefined;
  const first = contentAt(bytes, 0);
  const tag = bytes.charCodeAt(first);
  if (tag === integer) return bytes.charCodeAt(first + 1) === 1 && bytes.charCodeAt(first + 2) <= 3 ? "private key" : "public";
  if (tag === objectId) return "public";
  if (tag !== sequence) return undefined;
  // An encrypted private key and a public key both begin with an algorithm. The algorithms 1.2.840.113549.1.5
  // and .1.12.1 encrypt.
  const algorithm = contentAt(bytes, first) + 1;
  const isEncrypting = encryptingAlgorithms.some((encrypting) => bytes.startsWith(encrypting, algorithm));
  return isEncrypting ? "private key" : "public";
}

/** Tags of the OpenPGP packets that hold public keys, signatures and messages, and of secret keys, which begin with a version. */
const publicTags = [1, 2, 3, 6, 14, 18, 20];
const secretTags = [5, 7];
function hasTag(bytes: string, tags: readonly number[]): boolean {
  const first = bytes.charCodeAt(0);
  return first >= 0x80 && tags.includes(first & 0x40 ? first & 0x3f : (first >> 2) & 0x0f);
}

/** The version follows the length of the packet, which has 1, 2, 4 or 5 bytes. */
function versionAt(bytes: string): number {
  const first = bytes.charCodeAt(0);
  const length = bytes.charCodeAt(1);
  if (first & 0x40) return length === 255 ? 6 : length >= 192 && length < 224 ? 3 : 2;
  return [2, 3, 5, 1][first & 3] ?? 2;
}

/** A length of four bytes, then the name of the key type. */
const isSshPublic = (bytes: string) => (bytes.startsWith("\0\0\0") && /^(?:ssh-|ecdsa-|sk-)/.test(bytes.slice(4))) || bytes.startsWith("SSHSIG");

/** For text in a block with a header: whether the block holds no private key. */
export function isPublicBlock(encoded: string): boolean {
  const bytes = decodeStart(encoded);
  return isSshPublic(bytes) || derMeaning(bytes) === "public" || hasTag(bytes, publicTags);
}

/** For text in a block whose header says that it is public: whether the block holds a private key all the same. */
export const isPrivateBlock = (encoded: string): boolean => {
  const bytes = decodeStart(encoded);
  return derMeaning(bytes) === "private key" || (hasTag(bytes, secretTags) && "\x03\x04\x05\x06".includes(bytes.charAt(versionAt(bytes)) || "-"));
};

/** For any text: whether it is a certificate, a public key or a signature in DER. */
export const isPublicDer = (encoded: string): boolean => /^MI?[A-Z]/.test(encoded) && derMeaning(decodeStart(encoded)) === "public";
export const isPrivateDer = (encoded: string): boolean => derMeaning(decodeStart(encoded)) === "private key";
