/** `LONG=1` runs the long forms: the same checks, more of them. */
export const isLong = process.env.LONG === "1";

export const volume = (short: number, long: number): number => (isLong ? long : short);

/** The short run is the same every time; the long one is new every day. `SEED=n` repeats either. */
export const seedOfRun = (): number =>
  Number(process.env.SEED ?? (isLong ? Math.floor(Date.now() / 86_400_000) : 1));

/** Far above what a run takes: a slow machine is not a difference. */
export const timeoutMs = volume(600_000, 7_200_000);
