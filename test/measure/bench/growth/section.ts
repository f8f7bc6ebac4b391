import { chooseEngine } from "../../../../lib/local/engine/engine.ts";
import { lineChart } from "../picture.ts";
import {
  atMost,
  type BenchTable,
  type Section,
  type SectionModule,
  type Target,
  tableOf,
} from "../section.ts";
import { hasKnownFile } from "../support/engine-file.ts";
import { measuredWeek, tenYears, windowQuery } from "../support/history.ts";
import { learningText } from "../support/learnings.ts";
import { onDayInMidMonth } from "../support/mid-month.ts";
import { type Cost, type Grown, withStocks } from "./measure.ts";
import {
  auditStock,
  inMeasuredWeek,
  learningRepository,
  learningStock,
  pullRequestStock,
  type Stock,
  workspaceStock,
} from "./stocks.ts";

const flatWithin = 1.1;
/** 520 weeks in random order are as many queries, and a function has 50 connections: waves, not a trip per week. */
const decadeTripsMax = 16;

type Sizes = {
  readonly pullRequests: readonly number[];
  readonly learnings: readonly number[];
  readonly organizations: readonly number[];
  readonly audit: readonly number[];
  readonly decade: number;
};

const fullSizes: Sizes = {
  pullRequests: [1_000, 10_000, 100_000, 1_000_000],
  learnings: [100, 1_000, 10_000, 100_000],
  organizations: [1, 10, 50, 200],
  audit: [200, 1_000, 10_000, 100_000],
  decade: 10_000,
};

/** For engines that receive every item as a request. */
const sentSizes: Sizes = {
  pullRequests: [1_000, 5_000, 20_000],
  learnings: [100, 1_000, 5_000],
  organizations: [1, 10, 50, 200],
  audit: [200, 1_000, 10_000],
  decade: 10_000,
};

const quickSizes: Sizes = {
  pullRequests: [300, 1_000],
  learnings: [100, 300],
  organizations: [1, 10],
  audit: [200, 1_000, 5_000],
  decade: 2_000,
};

export const section: SectionModule = {
  title: "Growth",
  async run({ quick, say }): Promise<Section> {
    const sizes = hasKnownFile(chooseEngine()) ? fullSizes : sentSizes;
    return await onDayInMidMonth(async () => {
      const stocks = stocksOf(quick ? quickSizes : sizes);
      return await withStocks(Object.values(stocks).flat(), say, async (grown) =>
        sectionOf(await askAll(grown, stocks)),
      );
    });
  },
};

const stocksOf = ({ pullRequests, learnings, organizations, audit, decade }: Sizes) => ({
  pullRequests: pullRequests.map((count) => pullRequestStock(count)),
  organizations: organizations.map((count) => workspaceStock(2_000, count)),
  learnings: learnings.map(learningStock),
  audit: audit.map(auditStock),
  decade: [
    pullRequestStock(decade, { measured: 20 }),
    pullRequestStock(decade, { measured: 20, shuffled: true }),
  ],
});

/** One line of a table: the request, the amount of data, and the cost. */
type Answer = { readonly request: string; readonly stored: number; readonly cost: Cost };

type Answers = {
  readonly metrics: readonly Answer[];
  readonly organizations: readonly Answer[];
  readonly authentication: readonly Answer[];
  readonly learnings: readonly Answer[];
  readonly audit: readonly Answer[];
  readonly decade: readonly Answer[];
};

async function askAll(grown: Grown, stocks: ReturnType<typeof stocksOf>): Promise<Answers> {
  const week = `/v1/metrics/review-comments?${windowQuery(measuredWeek)}`;
  const ask = async (
    stock: Stock,
    request: string,
    target: string,
    stored = stock.stored,
  ): Promise<Answer> => ({
    request,
    stored,
    cost: await grown.cost({ key: grown.keyOf(stock), target }),
  });
  const answers = {
    metrics: [] as Answer[],
    organizations: [] as Answer[],
    authentication: [] as Answer[],
    learnings: [] as Answer[],
    audit: [] as Answer[],
    decade: [] as Answer[],
  };
  for (const stock of stocks.pullRequests) {
    answers.metrics.push(await ask(stock, `a week of ${inMeasuredWeek} pull requests`, week));
    answers.metrics.push(await ask(stock, "the same, ten a page", `${week}&limit=10`));
  }
  for (const stock of stocks.organizations) {
    const count = stock.organizations.length;
    answers.organizations.push(await ask(stock, "a week of all organizations", week, count));
    answers.authentication.push(await ask(stock, "authentication alone", "/v1/whoami", count));
  }
  for (const stock of stocks.learnings) answers.learnings.push(...(await askLearnings(grown, stock)));
  for (const stock of stocks.audit) {
    answers.audit.push(await ask(stock, "the newest 100 audit entries", "/v1/audit-logs"));
  }
  for (const [index, stock] of stocks.decade.entries()) {
    for (const limit of [100, 1_000]) {
      const order = index === 0 ? "in the order of dates" : "in no order";
      const target = `/v1/metrics/review-comments?${windowQuery(tenYears)}&limit=${limit}`;
      answers.decade.push(await ask(stock, `ten years, written ${order}, ${limit} a page`, target));
    }
  }
  return answers;
}

async function askLearnings(grown: Grown, stock: Stock): Promise<Answer[]> {
  const key = grown.keyOf(stock);
  const { stored } = stock;
  const page = await grown.cost({ key, target: "/v1/learnings?limit=100" });
  const created = await grown.cost({
    key,
    target: "/v1/learnings",
    body: { data: [{ repository_id: learningRepository, learning: `Fresh: ${learningText(stored)}` }] },
  });
  return [
    { request: "the first 100 Learnings", stored, cost: page },
    { request: "create a Learning", stored, cost: created },
  ];
}

function sectionOf(answers: Answers): Section {
  const own = answers.organizations.map(({ stored, cost }, index) => ({
    stored,
    units: cost.readUnits - (answers.authentication[index]?.cost.readUnits ?? 0),
  }));
  const byRequest = (list: readonly Answer[]) => [...Map.groupBy(list, ({ request }) => request)];
  const same = byRequest([...answers.metrics, ...answers.learnings, ...answers.audit]);
  const flat = [
    ...same.map(([request, list]) => flatness(`${request}, more stored against less`, list.map(unitsOf))),
    flatness(
      "a week of a workspace without authentication, more organizations against fewer",
      own.map(({ units }) => units),
    ),
  ];
  const trips = answers.decade.map(({ request, cost }) =>
    atMost(`round trips of ${request}`, cost.trips, decadeTripsMax),
  );
  return {
    prose: [
      "The benchmark sends the same request while more and more data is stored: a history of ten years in which " +
        `one week always has the same ${inMeasuredWeek} pull requests, the Learnings of an organization, and a year of audit ` +
        "entries. The stored items are equal to those that the writers create; a test compares them byte by byte. " +
        "The clock shows the 16th of a month, because audit entries are stored by month.",
      "Only authentication grows with the number of organizations: a workspace token reads all of them, at 0.13 " +
        "read units each. The page itself does not grow.",
    ],
    targets: [...flat, ...trips],
    tables: [
      costTable("Metrics, by stored pull requests", "stored", answers.metrics),
      costTable("Metrics, by organizations of a workspace", "organizations", [
        ...answers.organizations,
        ...answers.authentication,
      ]),
      costTable("Learnings, by stored Learnings", "stored", answers.learnings),
      costTable("Audit logs, by stored entries", "stored", answers.audit),
      costTable("A window of ten years, first page", "stored", answers.decade),
    ],
    pictures: [
      lineChart({
        name: "growth",
        title: "Capacity units of the same request, by what is stored",
        alt: "Lines that stay level while more and more pull requests, Learnings and audit entries are stored",
        xLabel: "stored",
        yLabel: "read and write units",
        series: same.map(([name, list]) => ({
          name,
          points: list.map((answer) => [answer.stored, unitsOf(answer)] as const),
        })),
      }),
      lineChart({
        name: "growth-organizations",
        title: "Read units of a workspace's week, by organizations",
        alt: "The page stays level while authentication grows with the number of organizations",
        xLabel: "organizations of the workspace",
        yLabel: "read units",
        series: [
          { name: "the page", points: own.map(({ stored, units }) => [stored, units] as const) },
          {
            name: "authentication",
            points: answers.authentication.map(({ stored, cost }) => [stored, cost.readUnits] as const),
          },
        ],
      }),
    ],
  };
}

const unitsOf = ({ cost }: Answer): number => cost.readUnits + cost.writeUnits;

/** The largest growth factor of all steps; a decrease (a denser month, for example) is harmless. */
function flatness(name: string, units: readonly number[]): Target {
  const steps = units.flatMap((later, index) => units.slice(0, index + 1).map((earlier) => later / earlier));
  return atMost(name, Math.max(...steps), flatWithin);
}

const costTable = (title: string, size: string, answers: readonly Answer[]): BenchTable =>
  tableOf(
    title,
    answers.map(({ request, stored, cost }) => ({
      request,
      [size]: stored,
      trips: cost.trips,
      calls: cost.calls,
      "read units": cost.readUnits,
      "write units": cost.writeUnits,
    })),
  );
