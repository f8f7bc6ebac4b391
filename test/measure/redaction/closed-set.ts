import { redact } from "../../../lib/redaction/redact.ts";
import { readSet } from "./sets.ts";

/**
 * `npm run measure:redaction:closed -- FILE`: figures for a set that the author of the rules must not read, one JSON a
 * line. It prints numbers and names of categories, never a text.
 */
const [file = ""] = process.argv.slice(2);
const texts = readSet(file);

const percent = (part: number, whole: number): string =>
  whole === 0 ? "-" : `${((100 * part) / whole).toFixed(2)} % (${part} of ${whole})`;
const withoutMarkers = (text: string) => text.replaceAll(/\[REDACTED:\w+\]/g, "\u0000");

let slowestMs = 0;
const results = texts.map(({ text, secrets, category }) => {
  const before = process.cpuUsage();
  const once = redact(text).text;
  const { user, system } = process.cpuUsage(before);
  slowestMs = Math.max(slowestMs, (user + system) / 1_000);
  const left = withoutMarkers(once);
  return {
    category,
    isClean: secrets.length === 0,
    isChanged: once !== text,
    isStable: redact(once).text === once,
    secrets: secrets.map((secret) => ({ secret, isFound: !left.includes(secret) })),
  };
});

const found = (secrets: readonly { isFound: boolean }[]): string =>
  percent(secrets.filter(({ isFound }) => isFound).length, secrets.length);
const all = results.flatMap(({ secrets }) => secrets);
console.log(`strings removed: ${found(all)}`);
console.log(`strings without a digit: ${found(all.filter(({ secret }) => /^[^\d\n]{1,40}$/.test(secret)))}`);
for (const [category, members] of [...Map.groupBy(results, (each) => each.category)].sort()) {
  const secrets = members.flatMap((each) => each.secrets);
  const changed = members.filter(({ isClean, isChanged }) => isClean && isChanged).length;
  console.log(
    secrets.length > 0
      ? `  ${category}: ${found(secrets)}`
      : `  ${category}: changed ${percent(changed, members.length)}`,
  );
}
const clean = results.filter(({ isClean }) => isClean);
console.log(
  `clean texts changed: ${percent(clean.filter(({ isChanged }) => isChanged).length, clean.length)}`,
);
console.log(`texts that a second redaction changes: ${results.filter(({ isStable }) => !isStable).length}`);
console.log(`slowest text: ${slowestMs.toFixed(0)} ms of CPU`);
