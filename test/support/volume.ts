/** `LONG=1` runs the long forms: the same checks, more of them. */
export const isLong = process.env.LONG === "1";

export const volume = (short: number, long: number): number => (isLong ? long : short);

/** The short run is the same every time; the long one is new every day. `SEED=n` repeats either. */
export const seedOfRun = (): number =>
  Number(process.env.SEED ?? (isLong ? Math.floor(Date.now() / 86_400_000) : 1));

/** Far above the duration of a run: a slow machine must not cause a failure. */
export const timeoutMs = volume(600_000, 7_200_000);
