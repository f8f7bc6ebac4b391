/** Splits the elements into chunks of at most `size`, in their order. */
export const chunksOf = <Element>(elements: readonly Element[], size: number): Element[][] =>
  Array.from({ length: Math.ceil(elements.length / size) }, (_, index) =>
    elements.slice(index * size, (index + 1) * size),
  );
