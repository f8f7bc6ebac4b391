/**
 * For long work without input or output: after every `unitsMax` units of it, timers, answers of the network and other
 * requests run.
 */
export function turnTaker(unitsMax: number): (units: number) => Promise<void> {
  let done = 0;
  return async (units) => {
    done += units;
    if (done < unitsMax) return;
    done = 0;
    await new Promise((resolve) => setImmediate(resolve));
  };
}
