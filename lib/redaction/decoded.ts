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
  String.raw`-----BEGIN [A-Z ]{0,20}PRIVATE KEY|\b(?:private_?key|client_?secret|secret_?key|refresh_?token`,
  "|access_?token|client-key-data|token",
  String.raw`|password)["']?\s?[:=]\s?["']?[^\s"',;}]{6}|(?:^|\n)[A-Z_]{0,40}(?:PASSWORD|SECRET|TOKEN`,
  String.raw`|API_KEY)[A-Z_]{0,40}=\S{6}`,
);
/** For base64 of JSON or YAML: whether the document has a credential, as the key of a service account has. */
export const holdsCredential = (encoded: string): boolean =>
  documentCredential.test(decodeStart(encoded, documentLengthMax));

const sequence = 0x30;
const integer = 0x02;
const objectId = 0x06;

/** Returns the start of the content of the DER element at `at`. */
function contentAt(bytes: string, at: number): number {
  const length = bytes.charCodeAt(at + 1);
  return at + 2 + (length > 0x80 ? length - 0x80 : 0);
}

/**
 * Whether it is a certificate, a public key or a signature in DER. PKCS #1, #8 and #12 and SEC 1 begin with a
 * small version number; these do not.
 */
export function isPublicDer(encoded: string): boolean {
  if (!/^MI?[A-Z]/.test(encoded)) return false;
  const bytes = decodeStart(encoded);
  if (bytes.charCodeAt(0) !== sequence || bytes.length < 16) return false;
  const first = contentAt(bytes, 0);
  const tag = bytes.charCodeAt(first);
  return tag === integer
    ? bytes.charCodeAt(first + 1) !== 1 || bytes.charCodeAt(first + 2) > 3
    : tag === objectId || tag === sequence;
}
