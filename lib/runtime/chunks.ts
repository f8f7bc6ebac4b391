/** Splits the elements into chunks of at most `size`, in their order. */
export const chunksOf = <Element>(elements: readonly Element[], size: number): Element[][] =>
  Array.from({ length: Math.ceil(elements.length / size) }, (_, index) =>
    elements.slice(index * size, (index + 1) * size),
  );

/**
 * Works on the elements of one chunk at the same time. Waits for the whole chunk before it throws an error: no work is
 * still running when the caller receives the error.
 */
export async function inChunks<Element>(
  elements: readonly Element[],
  size: number,
  work: (element: Element) => Promise<unknown>,
): Promise<void> {
  for (const some of chunksOf(elements, size)) {
    const settled = await Promise.allSettled(some.map(work));
    for (const each of settled) if (each.status === "rejected") throw each.reason;
  }
}
