const wordsPerDigest = 4;
export const digestBytes = wordsPerDigest * 4;
const slotsAtFirst = 1024;
/** Above this load, searching a slot takes long. */
const loadMax = 0.75;

/**
 * Maps digests to numbers without an object for each: 24 bytes per slot, so 32 to 64 bytes per digest, and half as much
 * again while it grows. A Map of a million texts takes several times that.
 */
export class DigestMap {
  #slots = slotsAtFirst;
  #size = 0;
  #digests = new Uint32Array(slotsAtFirst * wordsPerDigest);
  /** Zero: the slot is free. */
  #values = new Float64Array(slotsAtFirst);

  get size(): number {
    return this.#size;
  }

  get(digest: Buffer): number | undefined {
    const value = this.#values[this.#slotOf(unsignedsOf(digest))] ?? 0;
    return value === 0 ? undefined : value - 1;
  }

  /** `value`: an integer from 0. */
  set(digest: Buffer, value: number): void {
    this.#put(unsignedsOf(digest), value + 1);
    if (this.#size > this.#slots * loadMax) this.#grow();
  }

  #put(words: Uint32Array, stored: number): void {
    const slot = this.#slotOf(words);
    if (this.#values[slot] === 0) {
      this.#digests.set(words, slot * wordsPerDigest);
      this.#size++;
    }
    this.#values[slot] = stored;
  }

  /** The slot of the digest, or the free slot where it belongs. The digest's first word serves as the hash. */
  #slotOf(words: Uint32Array): number {
    const mask = this.#slots - 1;
    for (let slot = (words[0] ?? 0) & mask; ; slot = (slot + 1) & mask)
      if (this.#values[slot] === 0 || this.#isAt(slot, words)) return slot;
  }

  #isAt(slot: number, words: Uint32Array): boolean {
    const first = slot * wordsPerDigest;
    for (let word = 0; word < wordsPerDigest; word++)
      if (this.#digests[first + word] !== words[word]) return false;
    return true;
  }

  #grow(): void {
    const [digests, values] = [this.#digests, this.#values];
    this.#slots *= 2;
    this.#size = 0;
    this.#digests = new Uint32Array(this.#slots * wordsPerDigest);
    this.#values = new Float64Array(this.#slots);
    for (const [slot, stored] of values.entries())
      if (stored !== 0)
        this.#put(digests.subarray(slot * wordsPerDigest, (slot + 1) * wordsPerDigest), stored);
  }
}

function unsignedsOf(digest: Buffer): Uint32Array {
  const words = new Uint32Array(wordsPerDigest);
  for (let word = 0; word < wordsPerDigest; word++) words[word] = digest.readUInt32LE(word * 4);
  return words;
}
