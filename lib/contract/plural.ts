/** `1 member`, `2 members`. */
export const plural = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;
