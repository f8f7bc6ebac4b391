/**
 * Runs work in the order in which it is passed in, never more than `most` at the same time; the rest waits in a queue.
 */
export function limitConcurrency(most: number): <Answer>(work: () => Promise<Answer>) => Promise<Answer> {
  let free = most;
  const line: Array<() => void> = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      return await work();
    } finally {
      // Pass the free slot to the next in the queue, or release it.
      const next = line.shift();
      if (next) next();
      else free++;
    }
  };
}
