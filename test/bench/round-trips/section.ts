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
        "Every operation of the contract through its real handler, warm, on the local engine, with consumed " +
          "capacity counted as DynamoDB counts it. A trip is a call, or several side by side, that the request waits " +
          "for; `·` stands between trips and `+` between calls that are under way together. Targets: a read takes " +
          "two trips and one for each page of data (one more with a legacy key, whose text names nothing), a " +
          "single write three, a batch of 100 Learnings six, 500 seats or roles ten. " +
          "`test/bench/round-trips/counts.test.ts` holds the counts of a smaller world, exactly.",
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
