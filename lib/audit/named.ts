const namesMax = 3;

/** Names or ids for one line of people: up to three, then how many more there are. */
export function named(names: readonly string[]): string {
  if (names.length === 0) return "nobody";
  const shown = names.slice(0, namesMax).join(", ");
  const more = names.length - namesMax;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
