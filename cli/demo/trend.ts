/** 16 weeks from one high to the next: the twelve weeks of the demo always show an up and a down. */
const periodDays = 112;
/** Teams do not all have their good weeks at once. */
const apartDays = 4;

/** How well things go in a repository on a day, from -1 to 1; the same for everybody, every time. */
export const trend = (place: number, day: number): number =>
  Math.sin(((day + (place % 4) * apartDays) / periodDays) * 2 * Math.PI);
