import { parseArgs } from "node:util";
import { type CleanSample, generate, type SecretSample } from "./unseen/generate.ts";
import { leaks } from "./unseen/values/segments.ts";

/** The redaction that is measured: the module, its function, and how the function gives the text back. */
const entry = {
  module: "../../../lib/redaction/redact.ts",
  name: "redact",
  textOf: (result: unknown): string => {
    if (typeof result === "string") return result;
    if (
      typeof result === "object" &&
      result !== null &&
      "text" in result &&
      typeof result.text === "string"
    ) {
      return result.text;
    }
    throw new Error(`${entry.name} must return a text or an object with a text.`);
  },
};

const usage =
  "npm run measure:redaction -- --seed N --count N --half development|held-out|all " +
  "[--failures GROUP] [--clean-failures]";

const halves = ["development", "held-out", "all"] as const;

function readOptions() {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: "1" },
      count: { type: "string", default: "2000" },
      half: { type: "string", default: "all" },
      failures: { type: "string" },
      "clean-failures": { type: "boolean", default: false },
    },
  });
  const half = halves.find((name) => name === values.half);
  if (!half) throw new Error(`--half is ${halves.join(", ")}, not ${values.half}. Usage: ${usage}`);
  const count = Number(values.count);
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new Error(`--count is a whole number from 1, not ${values.count}. Usage: ${usage}`);
  }
  const showsHeldOut = half !== "development" && (values.failures !== undefined || values["clean-failures"]);
  if (showsHeldOut) {
    throw new Error(
      "Failures are shown for --half development only; the other half measures what the rules learnt.",
    );
  }
  return {
    seed: values.seed,
    count,
    half,
    failures: values.failures,
    cleanFailures: values["clean-failures"],
  };
}

async function loadRedact(): Promise<(text: string) => string> {
  const module: Record<string, unknown> = await import(entry.module);
  const redact = module[entry.name];
  if (typeof redact !== "function") throw new Error(`${entry.module} exports no function ${entry.name}.`);
  return (text) => entry.textOf(redact(text));
}

type Timed = { output: string; cpuMs: number };

function timed(redact: (text: string) => string, text: string): Timed {
  const before = process.cpuUsage();
  const output = redact(text);
  const { user, system } = process.cpuUsage(before);
  return { output, cpuMs: (user + system) / 1000 };
}

type Measured<Sample> = { sample: Sample; isGood: boolean } & Timed;

const percent = (part: number, whole: number): string =>
  whole === 0 ? "-" : `${((100 * part) / whole).toFixed(2)} %`;

function printTable(
  title: string,
  counted: string,
  measured: readonly Measured<{ group: string }>[],
  isCounted: boolean,
): void {
  const groups = [...Map.groupBy(measured, ({ sample }) => sample.group)].sort(([a], [b]) =>
    a.localeCompare(b),
  );
  console.log(`\n${title}`);
  for (const [group, members] of [...groups, ["overall", measured] as const]) {
    const hits = members.filter(({ isGood }) => isGood === isCounted).length;
    console.log(
      `  ${group.padEnd(34)} ${counted} ${percent(hits, members.length).padStart(9)}  (${hits} of ${members.length})`,
    );
  }
}

function printFailures(measured: readonly Measured<SecretSample | CleanSample>[]): void {
  for (const { sample, output, isGood } of measured) {
    if (isGood) continue;
    console.log(`\n--- ${sample.group} / ${sample.carrier}\n${sample.text}\n--- becomes\n${output}`);
  }
}

/** The longest text that one call gets: the samples one after another, up to 256 KB. */
const longTextBytes = 256 * 1024;

function longText(samples: readonly { text: string }[]): string {
  let text = "";
  for (let at = 0; text.length < longTextBytes; at++) text += `${samples[at % samples.length]?.text}\n`;
  return text.slice(0, longTextBytes);
}

async function main(): Promise<void> {
  const options = readOptions();
  const redact = await loadRedact();
  const samples = generate(options);
  const measure = <Sample extends { text: string }>(
    sample: Sample,
    isGood: (sample: Sample, output: string) => boolean,
  ): Measured<Sample> => {
    const result = timed(redact, sample.text);
    return { sample, ...result, isGood: isGood(sample, result.output) };
  };
  // A marker may name the vendor with the words that the vendor's tokens begin with: `[REDACTED:rubygems_key]`.
  const withoutMarkers = (output: string): string => output.replaceAll(/\[REDACTED:\w+\]/g, "\u0000");
  const secrets = samples.secrets.map((sample) =>
    measure(sample, (own, output) => !leaks(own.secret, withoutMarkers(output))),
  );
  const clean = samples.clean.map((sample) => measure(sample, (own, output) => own.text === output));
  const unstable = [...secrets, ...clean].filter(({ output }) => redact(output) !== output).length;

  console.log(`seed ${options.seed}, ${options.count} texts of each kind, half ${options.half}`);
  printTable("Secrets found", "recall", secrets, true);
  printTable("Clean texts changed", "false positives", clean, false);
  const worst = Math.max(...[...secrets, ...clean].map(({ cpuMs }) => cpuMs));
  const long = timed(redact, longText([...samples.secrets, ...samples.clean]));
  console.log(`\nWorst time of one text: ${worst.toFixed(1)} ms of CPU`);
  console.log(`256 KB of these texts at once: ${long.cpuMs.toFixed(1)} ms of CPU`);
  console.log(`Not idempotent: ${unstable} texts`);
  if (options.failures !== undefined) {
    printFailures(
      secrets.filter(({ sample }) => options.failures === "all" || sample.group === options.failures),
    );
  }
  if (options.cleanFailures) printFailures(clean);
}

await main();
