import { mkdirSync, writeFileSync } from "node:fs";
import { builtClient } from "./built-client.ts";
import { generatedFiles, releasedDocument, releasedFile } from "./generated-files.ts";

/** `--release` also notes the interface as released: from then on a change that breaks it must be named. */
const released = process.argv.includes("--release") ? ([[releasedFile, releasedDocument()]] as const) : [];
write([...generatedFiles(), ...released]);
// Its types were just written.
write(await builtClient());

function write(files: Iterable<readonly [path: string, content: string]>): void {
  for (const [path, content] of files) {
    const file = new URL(`../${path}`, import.meta.url);
    mkdirSync(new URL(".", file), { recursive: true });
    writeFileSync(file, content);
    console.log(`wrote ${path}`);
  }
}
