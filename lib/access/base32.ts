/** RFC 4648 base32 in lower case. A double click selects it as one word, and nothing in it looks like `_` or `-`. */
const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const valueByCharacter = new Map([...alphabet].map((character, value) => [character, value]));

export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet.charAt((buffer >> bits) & 31);
    }
  }
  return bits > 0 ? text + alphabet.charAt((buffer << (5 - bits)) & 31) : text;
}

export function fromBase32(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let buffer = 0;
  let bits = 0;
  let length = 0;
  for (const character of text) {
    const value = valueByCharacter.get(character);
    if (value === undefined) return undefined;
    buffer = ((buffer << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[length++] = (buffer >> bits) & 255;
    }
  }
  return bytes;
}
