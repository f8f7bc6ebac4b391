import { writeFileSync } from "node:fs";
import { looksOf, surroundingsOf } from "../../../lib/redaction/signs.ts";
import { viewOf } from "../../../lib/redaction/view.ts";
import { candidatesIn } from "../../../lib/redaction/weighed.ts";
import { classes } from "../../redaction/exact/classes.ts";
import { cleanSamples, secretSamples } from "../../redaction/samples/read.ts";
import { expand } from "../../redaction/samples/template.ts";
import { type Labelled, readSet } from "./sets.ts";

/**
 * `npm run fit:redaction -- FILE...`: learns what each sign weighs from sets of labelled texts, and writes `weights.ts`.
 * It is logistic regression with an L1 penalty, one sign after the other: a sign that adds nothing weighs nothing.
 */
const penalty = 3.4;
const occurrencesMin = 4;
const passesMax = 150;
/** Weights are tenths. */
const unit = 10;

interface Example {
  readonly signs: ReadonlySet<string>;
  readonly isSecret: boolean;
}

const positionsOf = (text: string, secret: string): { start: number; end: number }[] => {
  const found = [];
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1))
    found.push({ start: at, end: at + secret.length });
  return found;
};

/** Examples of one text. A value that overlaps a secret in part only teaches nothing. */
function examplesOf({ text, secrets }: Labelled): Example[] {
  const view = viewOf(text);
  const places = secrets.flatMap((secret) => positionsOf(text, secret));
  return candidatesIn(view.text).flatMap(({ start, end }) => {
    const original = view.original(start, end);
    const shared = Math.max(
      0,
      ...places.map((place) => Math.min(place.end, original.end) - Math.max(place.start, original.start)),
    );
    const isSecret = shared >= 0.6 * (original.end - original.start);
    if (shared > 0 && !isSecret) return [];
    const signs = new Set<string>();
    const see = (sign: string) => signs.add(sign);
    surroundingsOf(view.text, start, end, looksOf(view.text.slice(start, end), see), see);
    return [{ signs, isSecret }];
  });
}

/** The texts of the tests, twice: what they promise shall outlast every new set. */
const kept: readonly Labelled[] = [
  ...Object.entries(classes).flatMap(([category, written]) =>
    written.map((each) => {
      const marked = expand(each, each);
      const secrets = Array.from(marked.matchAll(/«\w+\|([^»]*)»/g), ([, secret = ""]) => secret);
      return { text: marked.replace(/«\w+\||»/g, ""), secrets, category };
    }),
  ),
  ...secretSamples("development", "1").map(({ text, secrets, label }) => ({
    text,
    secrets,
    category: label,
  })),
  ...cleanSamples("development").map((text) => ({ text, secrets: [], category: "clean" })),
];
if (process.argv.length < 3)
  throw new Error("Name at least one file of labelled texts: npm run fit:redaction -- FILE...");
const examples = [...process.argv.slice(2).flatMap(readSet), ...kept, ...kept].flatMap(examplesOf);
/** The examples that have a sign. */
const having = new Map<string, number[]>();
for (const [index, { signs }] of examples.entries())
  for (const sign of signs) {
    const known = having.get(sign);
    if (known) known.push(index);
    else having.set(sign, [index]);
  }
const columns = [...having]
  .filter(([, indexes]) => indexes.length >= occurrencesMin)
  .map(([sign, indexes]) => ({ sign, indexes, weight: 0 }));

let bias = 0;
/** The sum of the weights of each example, and how likely it is a secret. */
const sums = new Float64Array(examples.length);
const wanted = Float64Array.from(examples, ({ isSecret }) => Number(isSecret));
const likelihood = (index: number) => 1 / (1 + Math.exp(-(sums[index] ?? 0)));
const atMostOne = (step: number) => Math.max(-1, Math.min(1, step));
/** The slope and the curve of the error, if the weights of these examples change together. */
function slopeOf(indexes: Iterable<number>): { slope: number; curve: number } {
  let slope = 0;
  let curve = 0.3;
  for (const index of indexes) {
    const likely = likelihood(index);
    slope += likely - (wanted[index] ?? 0);
    curve += Math.max(likely * (1 - likely), 0.01);
  }
  return { slope, curve };
}
function move(indexes: Iterable<number>, step: number): number {
  for (const index of indexes) sums[index] = (sums[index] ?? 0) + step;
  return Math.abs(step);
}
for (let pass = 0, moved = 1; pass < passesMax && moved > 0.5; pass++) {
  const { slope, curve } = slopeOf(examples.keys());
  const step = atMostOne(-slope / curve);
  bias += step;
  moved = move(examples.keys(), step);
  // Every tenth pass looks at every sign, the others at those that weigh something.
  for (const column of columns) {
    if (pass % 10 !== 0 && column.weight === 0) continue;
    const { slope, curve } = slopeOf(column.indexes);
    const pull = column.weight * curve - slope;
    const weight = (Math.sign(pull) * Math.max(0, Math.abs(pull) - penalty)) / (curve + 0.1);
    const step = atMostOne(weight - column.weight);
    column.weight += step;
    if (step !== 0) moved += move(column.indexes, step);
  }
  if (pass < 11) moved = 1;
}

const weighty = columns
  .map(({ sign, weight }) => ({ sign, weight: Math.round(weight * unit) }))
  .filter(({ weight }) => weight !== 0);
const families = Map.groupBy(weighty, ({ sign }) => sign.slice(0, sign.indexOf(":")));
const lineLengthMax = 156;
const wrapped = (entries: readonly string[]): string =>
  entries.reduce((text, entry) =>
    text.length - text.lastIndexOf("\n") + entry.length < lineLengthMax
      ? `${text} ${entry}`
      : `${text}\n  ${entry}`,
  );
const lines = [...families]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([family, members]) =>
    wrapped([
      `${family}:`,
      ...members
        .sort((a, b) => b.weight - a.weight)
        .map(({ sign, weight }) => `${sign.slice(family.length + 1)} ${weight}`),
    ]),
  );
writeFileSync(
  new URL("../../../lib/redaction/weights.ts", import.meta.url),
  `/** What each sign weighs, in tenths. \`npm run fit:redaction\` learned it from ${examples.length} values of labelled texts. */
export const bias = ${Math.round(bias * unit)};
const table = \`
${lines.join("\n")}\`;
/** Each family begins a line, with its name and a colon. */
export const weights: ReadonlyMap<string, number> = new Map(
  table.split(/\\n(?! )/).flatMap((family) => {
    const name = family.slice(0, family.indexOf(":") + 1);
    return [...family.slice(name.length).matchAll(/(\\S+) (-?\\d+)/g)].map(([, sign, weight]) => [name + sign, Number(weight)] as const);
  }),
);
`,
);
console.log(`${examples.length} values, ${columns.length} signs, ${weighty.length} of them weigh something`);
