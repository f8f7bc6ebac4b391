/** `LONG=1` runs the long forms: the same checks, more of them. */
export const isLong = process.env.LONG === "1";

export const volume = (short: number, long: number): number => (isLong ? long : short);

/** A run can be repeated: `SEED=n` sets what is else new every day. */
export const seedOfRun = (): number => Number(process.env.SEED ?? Math.floor(Date.now() / 86_400_000));

/** The short run must not slow down a whole suite; the long one may take its time. */
export const timeoutMs = volume(600_000, 7_200_000);
