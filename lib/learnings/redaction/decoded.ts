/** What base64 holds, told by its first bytes. */

const decodedLengthMax = 96;

/** The first bytes of a base64 text, as characters; nothing if it is none. */
export function decodedStart(encoded: string): string {
  const whole = encoded.slice(0, decodedLengthMax).replace(/[^A-Za-z0-9+/]/g, "");
  try {
    return atob(whole.slice(0, whole.length - (whole.length % 4)));
  } catch {
    return "";
  }
}

const sequence = 0x30;
const integer = 0x02;
const objectId = 0x06;

/** Where the content of the DER element at `at` begins. */
function contentAt(bytes: string, at: number): number {
  const length = bytes.charCodeAt(at + 1);
  return at + 2 + (length > 0x80 ? length - 0x80 : 0);
}

const encryptingAlgorithms = ["\x2a\x86\x48\x86\xf7\x0d\x01\x05", "\x2a\x86\x48\x86\xf7\x0d\x01\x0c"];

export type Decoded = "private key" | "public" | undefined;

/** PKCS #1, PKCS #8, SEC 1 and PKCS #12 begin with a small version number; certificates and public keys do not. */
function derMeaning(bytes: string): Decoded {
  if (bytes.charCodeAt(0) !== sequence || bytes.length < 16) return undefined;
  const first = contentAt(bytes, 0);
  const tag = bytes.charCodeAt(first);
  if (tag === integer)
    return bytes.charCodeAt(first + 1) === 1 && bytes.charCodeAt(first + 2) <= 3 ? "private key" : "public";
  if (tag === objectId) return "public";
  if (tag !== sequence) return undefined;
  // An encrypted private key and a public key both begin with an algorithm: 1.2.840.113549.1.5 and .1.12 encrypt.
  const algorithm = contentAt(bytes, first) + 2;
  const isEncrypting = encryptingAlgorithms.some((encrypting) => bytes.startsWith(encrypting, algorithm));
  return isEncrypting ? "private key" : "public";
}

/** OpenPGP packets: secret keys are tag 5 and 7, public keys, signatures and messages are others. */
function packetMeaning(bytes: string): Decoded {
  const first = bytes.charCodeAt(0);
  if (first < 0x80 || Number.isNaN(first)) return undefined;
  const tag = first & 0x40 ? first & 0x3f : (first >> 2) & 0x0f;
  if (tag === 5 || tag === 7) return "private key";
  return [1, 2, 3, 6, 14, 18, 20].includes(tag) ? "public" : undefined;
}

/** A length of four bytes, then the name of the kind of key. */
const isSshPublic = (bytes: string) =>
  (bytes.startsWith("\0\0\0") && /^(?:ssh-|ecdsa-|sk-)/.test(bytes.slice(4))) || bytes.startsWith("SSHSIG");

/** For what stands in a block with a header. */
export function meaningOfBlock(encoded: string): Decoded {
  const bytes = decodedStart(encoded);
  if (bytes.startsWith("openssh-key-v1")) return "private key";
  return isSshPublic(bytes) ? "public" : (derMeaning(bytes) ?? packetMeaning(bytes));
}

/** Of what may be a key, a certificate or a signature in DER, and of nothing else. */
export const meaningOfDer = (encoded: string): Decoded =>
  /^MI?[A-Z]/.test(encoded) ? derMeaning(decodedStart(encoded)) : undefined;

/** For what stands alone: only what is surely a private key. */
export function isBarePrivateKey(encoded: string): boolean {
  const bytes = decodedStart(encoded);
  if (bytes.startsWith("openssh-key-v1") || /^-----BEGIN [A-Z ]*PRIVATE/.test(bytes)) return true;
  const length = bytes.charCodeAt(1);
  return (
    derMeaning(bytes) === "private key" &&
    (length === 0x82 || length === 0x81 || (length >= 0x20 && length < 0x80))
  );
}
