/** Runs work as it is handed in, but never more than `most` pieces at once; the rest waits in line. */
export function limitConcurrency(most: number): <Answer>(work: () => Promise<Answer>) => Promise<Answer> {
  let free = most;
  const line: Array<() => void> = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      return await work();
    } finally {
      // The place is handed to the next in line, or given back.
      const next = line.shift();
      if (next) next();
      else free++;
    }
  };
}
