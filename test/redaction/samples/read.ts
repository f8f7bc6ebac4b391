import { readFileSync } from "node:fs";
import { type SecretSample, secretSample } from "./template.ts";

/**
 * Written from what providers publish and how people paste, before there was any rule. Rules are tuned on the
 * development half; the held-out half is measured.
 */
export type Half = "development" | "held-out";

const secretFiles = [
  "secrets-cloud.txt",
  "secrets-source-and-build.txt",
  "secrets-services.txt",
  "secrets-keys-and-headers.txt",
  "secrets-urls-and-databases.txt",
  "secrets-assignments.txt",
];
const cleanFiles = ["clean-prose.txt", "clean-code.txt", "clean-data.txt"];
/** Written later, by others than the rules' author, to find what the rules miss; tuned on since: development. */
const laterSecretFiles = [
  "secrets-rare-forms.txt",
  "secrets-second-look.txt",
  "secrets-third-look.txt",
  "secrets-fourth-look.txt",
];
const laterCleanFiles = [
  "clean-rare-forms.txt",
  "clean-second-look.txt",
  "clean-third-look.txt",
  "clean-fourth-look.txt",
];

interface Block {
  label: string;
  text: string;
}

/** A sample begins with a line `%% label` and ends before the next. */
const blocksOf = (file: string): Block[] =>
  readFileSync(new URL(file, import.meta.url), "utf8")
    .split(/^%%/m)
    .slice(1)
    .map((block) => ({
      label: block.slice(0, block.indexOf("\n")).trim(),
      text: block.slice(block.indexOf("\n") + 1).replace(/\n$/, ""),
    }));

/** Every second sample is held out. */
function half(which: Half, files: string[], laterFiles: string[]): Block[] {
  const blocks = files.flatMap(blocksOf);
  if (which === "held-out") return blocks.filter((_, index) => index % 2 === 1);
  return [...blocks.filter((_, index) => index % 2 === 0), ...laterFiles.flatMap(blocksOf)];
}

export const secretSamples = (which: Half, seed: string): SecretSample[] =>
  half(which, secretFiles, laterSecretFiles).map(({ label, text }) => secretSample(label, text, seed));

export const cleanSamples = (which: Half): string[] =>
  half(which, cleanFiles, laterCleanFiles).map(({ text }) => text);
