import { readFileSync } from "node:fs";
import * as z from "zod";

/** One labelled text: each of `secrets` must disappear; a clean text has none. */
const labelled = z.object({ text: z.string(), secrets: z.array(z.string()), category: z.string() });
export type Labelled = z.infer<typeof labelled>;

/** A set of labelled texts, one JSON a line. */
export const readSet = (file: string): Labelled[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => labelled.parse(JSON.parse(line)));
