export const msPerDay = 86_400_000;
export const secondsPerDay = 86_400;
