import { atMost, type Section, type SectionModule, type Target, tableOf } from "../section.ts";
import { type Count, countEverything } from "./count.ts";
import { fullSizes, testSizes } from "./world.ts";

export const section: SectionModule = {
  title: "Round trips and units per operation",
  async run({ quick, say }): Promise<Section> {
    say("building a small and a large organization, a workspace and an instance");
    const counts = await countEverything(quick ? testSizes : fullSizes);
    return {
      prose: [
        "Each operation runs through its real handler on a warm function and the local engine. The benchmark " +
          "counts capacity units as DynamoDB counts them. A trip is one call, or several parallel calls, that the " +
          "request waits for. Targets: a read takes two trips and one more for each page of data; with a legacy key " +
          "it takes one more, because the key's text does not name its organization. A single write takes three " +
          "trips, a batch of 100 Learnings six, and 500 seats or roles ten. " +
          "`test/measure/bench/round-trips/counts.test.ts` checks the exact counts on a smaller set of data.",
      ],
      targets: targetsOf(counts),
      tables: [
        tableOf("Counts", counts.map(rowOf)),
        tableOf(
          "What is asked of DynamoDB, trip by trip",
          counts.map(({ operation, name, rounds }) => ({ operation, request: name, rounds })),
        ),
      ],
      pictures: [],
      figures: figuresOf(counts),
    };
  },
};

const rowOf = ({ operation, size, name, trips, tripsMax, calls, readUnits, writeUnits }: Count) => ({
  operation,
  size,
  request: name,
  trips: trips <= tripsMax ? String(trips) : `**${trips}**`,
  "at most": tripsMax,
  calls,
  "read units": readUnits,
  "write units": writeUnits,
});

/** One line if all is well, one for each request that takes too many trips. */
function targetsOf(counts: readonly Count[]): Target[] {
  const missed = counts.filter(({ trips, tripsMax }) => trips > tripsMax);
  return [
    {
      name: "requests within their round trips",
      value: `${counts.length - missed.length} of ${counts.length}`,
      target: "all",
      met: missed.length === 0,
    },
    ...missed.map(({ operation, name, trips, tripsMax }) =>
      atMost(`round trips of ${operation} (${name})`, trips, tripsMax),
    ),
  ];
}

/** For the cost section: `<operation>/<size>/<what>` of the first case of each size. */
function figuresOf(counts: readonly Count[]): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const { operation, size, readUnits, writeUnits, bytes, trips, calls } of counts) {
    const values = { readUnits, writeUnits, bytes, trips, calls };
    for (const [what, value] of Object.entries(values)) figures[`${operation}/${size}/${what}`] ??= value;
  }
  return figures;
}
