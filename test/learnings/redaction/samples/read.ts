import { readFileSync } from "node:fs";
import { type SecretSample, secretSample } from "./template.ts";

const secretFiles = [
  "secrets-cloud.txt",
  "secrets-source-and-build.txt",
  "secrets-services.txt",
  "secrets-keys-and-headers.txt",
  "secrets-urls-and-databases.txt",
  "secrets-assignments.txt",
];
const cleanFiles = ["clean-prose.txt", "clean-code.txt", "clean-data.txt"];

/** Rules are tuned on the development half only; the held-out half is measured. */
export type Half = "development" | "held-out";

/** A sample begins with a line `%% label` and ends before the next; every second one is held out. */
function blocks(files: string[], half: Half): { label: string; text: string }[] {
  return files
    .flatMap((file) =>
      readFileSync(new URL(file, import.meta.url), "utf8")
        .split(/^%%/m)
        .slice(1),
    )
    .map((block) => ({
      label: block.slice(0, block.indexOf("\n")).trim(),
      text: block.slice(block.indexOf("\n") + 1).replace(/\n$/, ""),
    }))
    .filter((_, index) => (index % 2 === 0) === (half === "development"));
}

export const secretSamples = (half: Half, seed: string): SecretSample[] =>
  blocks(secretFiles, half).map(({ label, text }) => secretSample(label, text, seed));

export const cleanSamples = (half: Half): string[] => blocks(cleanFiles, half).map(({ text }) => text);
