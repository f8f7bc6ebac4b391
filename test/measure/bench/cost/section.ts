import { ingest } from "../../../../lib/contract/workers.ts";
import { openTable, together } from "../ingest/events.ts";
import { countUnits, type Units } from "../ingest/units.ts";
import { fullSizes, testSizes } from "../round-trips/world.ts";
import { trips } from "../scale/simulate.ts";
import { type BenchTable, rounded, type Section, type SectionModule, tableOf } from "../section.ts";
import { startCountedEngine } from "../support/counted-engine.ts";
import { countForms, type Form, storedBytesEach } from "./alternatives.ts";
import { assumedTripMs, bytesPerGigabyte, prices, pricesOf } from "./prices.ts";
import { type PricedRequest, priceRequests } from "./requests.ts";

export const section: SectionModule = {
  title: "Cost on AWS",
  async run({ quick, say }): Promise<Section> {
    say("requests, counted and timed");
    const requests = await priceRequests(quick ? testSizes : fullSizes);
    say("forms of the table, counted");
    const stored = quick ? 2_000 : 100_000;
    const forms = await countForms(stored);
    say("events, counted and timed");
    const events = await countEvents(quick ? 2 : 20);
    return {
      prose: [
        `AWS's list prices for us-east-1, as public pages gave them on ${pricesOf}, without free tiers and discounts: ` +
          Object.entries(prices)
            .map(([name, dollars]) => `${inWords(name)} $${dollars}`)
            .join(", ") +
          ". DynamoDB's are those since November 2024.",
        "Units and bytes are counted. Lambda is billed for the time that the request took here, on the embedded " +
          `engine, and ${assumedTripMs} ms more for every trip, which is an assumption. Nothing was deployed. Cold ` +
          "starts, alarms, the dashboard and Bedrock's embeddings are not in these figures.",
      ],
      targets: [],
      tables: [requestTable(requests), monthTable(events), formTable(forms, stored)],
      pictures: [],
    };
  },
};

const inWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const requestTable = (requests: readonly PricedRequest[]): BenchTable =>
  tableOf(
    "Dollars per million requests",
    requests.map(({ operation, size, name, measuredMs, dollars }) => ({
      operation,
      size,
      request: name,
      total: rounded(dollars.total),
      DynamoDB: rounded(dollars.dynamo),
      Lambda: rounded(dollars.lambda),
      "API Gateway": dollars.gateway,
      "logs and data out": rounded(dollars.logsAndData),
      "ms here": rounded(measuredMs, 1),
    })),
  );

const storageDollars = (bytesEach: number): number =>
  gigabytesPerMillion(bytesEach) * (prices.storageGigabyteMonth + prices.pointInTimeRecoveryGigabyteMonth);

const gigabytesPerMillion = (bytesEach: number): number => (bytesEach * 1e6) / bytesPerGigabyte;

type Event = Units & { readonly msEach: number };

async function countEvents(batches: number): Promise<Event[]> {
  const engine = await startCountedEngine();
  try {
    const table = await openTable(engine);
    const startedAt = performance.now();
    const units = await countUnits(table, batches);
    const msEach = (performance.now() - startedAt) / (units.length * batches * together);
    return units.map((each) => ({ ...each, msEach }));
  } finally {
    await engine.stop();
  }
}

/** Receive, delete and the platform's own send, ten messages each. */
const queueRequestsPerEvent = 0.3;
/** The sequential calls of a whole batch. */
const tripsPerEvent = trips.newBatch / together;

function monthTable(events: readonly Event[]): BenchTable {
  const kinds = { workspace: "w", "stand-alone organization": "o" } as const;
  return tableOf(
    "Dollars per million pull requests",
    Object.entries(kinds).flatMap(([kind, letter]) =>
      events
        .filter((each) => each.tenant === kind && each.part === "event" && each.change === "new")
        .map(({ writeUnits, readUnits, msEach }) => {
          const units = writeUnits * prices.writeUnitsMillion + readUnits * prices.readUnitsMillion;
          const gigabyteSeconds =
            (msEach + tripsPerEvent * assumedTripMs) * 1_000 * (ingest.memoryMegabytes / 1024);
          const bytes = storedBytesEach(letter);
          return {
            tenant: kind,
            "stored, a month": rounded(storageDollars(bytes)),
            "written once": rounded(
              units +
                gigabyteSeconds * prices.lambdaGigabyteSecond +
                queueRequestsPerEvent * prices.fifoRequestsMillion,
            ),
            "of it DynamoDB": rounded(units),
            "gigabytes stored": rounded(gigabytesPerMillion(bytes)),
          };
        }),
    ),
  );
}

const formTable = (forms: readonly Form[], stored: number): BenchTable =>
  tableOf(
    `What other forms of the table would cost (stand-alone organization, ${stored.toLocaleString("en-US")} stored)`,
    forms.map((form) => ({
      form: form.name,
      "a week of 200, read units": rounded(form.weekReadUnits),
      "against ours": rounded(form.weekReadUnits / (forms[0]?.weekReadUnits ?? 1)),
      "$ per million such weeks": rounded(form.weekReadUnits * prices.readUnitsMillion),
      "a page of 1,000, read units": rounded(form.pageReadUnits),
      "write units each": rounded(form.writeUnitsEach),
      "$ to write a million": rounded(form.writeUnitsEach * prices.writeUnitsMillion),
      "$ to store a million, a month": rounded(storageDollars(form.storedBytesEach)),
    })),
  );
