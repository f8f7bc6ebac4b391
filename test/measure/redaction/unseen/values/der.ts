/** The few DER forms that keys and certificates need. */

const lengthOf = (size: number): Buffer => {
  if (size < 128) return Buffer.from([size]);
  const hex = size.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
};

export const der = (tag: number, ...content: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
};

export const sequence = (...content: readonly Buffer[]): Buffer => der(0x30, ...content);
export const set = (...content: readonly Buffer[]): Buffer => der(0x31, ...content);
export const octets = (content: Buffer): Buffer => der(0x04, content);
export const bits = (content: Buffer): Buffer => der(0x03, Buffer.from([0]), content);
export const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text, "utf8"));
export const nothing = der(0x05);

/** A positive integer: a leading zero byte keeps it positive. */
export const integer = (value: number | Buffer): Buffer => {
  const raw = typeof value === "number" ? Buffer.from([value]) : value;
  return der(0x02, (raw[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), raw]) : raw);
};

export const objectId = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const base128 = (value: number): number[] => {
    const groups = [value & 0x7f];
    for (let left = value >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  };
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
};

/** `YYMMDDhhmmssZ` */
export const utcTime = (text: string): Buffer => der(0x17, Buffer.from(text, "ascii"));
