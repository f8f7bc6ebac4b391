import { readFileSync } from "node:fs";
import * as z from "zod";

const schema = z.array(z.object({ file: z.string(), code: z.string(), becomes: z.array(z.string()) }));
const entries = schema.parse(JSON.parse(readFileSync(new URL("equivalent.json", import.meta.url), "utf8")));

/** The changes of the code that no test can notice, each with its reason in equivalent.json. */
export const equivalents = {
  has: ({ file, code, becomes }: { file: string; code: string; becomes: string }): boolean =>
    entries.some((entry) => entry.file === file && entry.code === code && entry.becomes.includes(becomes)),
};
