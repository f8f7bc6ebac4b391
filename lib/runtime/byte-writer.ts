/**
 * An answer, written piece by piece as bytes into one buffer: no text is joined, encoded and copied. Whoever writes into
 * `buffer` asks for `room` first and moves `length`.
 */
export class ByteWriter {
  buffer: Buffer;
  length = 0;

  constructor(bytesExpected = 0) {
    this.buffer = Buffer.allocUnsafeSlow(bytesExpected + 1_024);
  }

  room(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.buffer.length, this.length + bytes));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }

  text(text: string): void {
    // Counting takes time: only where the buffer may be too small.
    if (this.length + 3 * text.length > this.buffer.length) this.room(Buffer.byteLength(text));
    this.length += this.buffer.write(text, this.length);
  }

  /** One character of ASCII. */
  byte(code: number): void {
    if (this.length === this.buffer.length) this.room(1);
    this.buffer[this.length++] = code;
  }

  bytes(bytes: Uint8Array): void {
    this.room(bytes.length);
    this.buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** What was written; the buffer itself, not a copy. */
  written(): Buffer {
    return this.buffer.subarray(0, this.length);
  }
}
