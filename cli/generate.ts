import { writeFileSync } from "node:fs";
import { generatedFiles } from "./generated-files.ts";

for (const [path, content] of generatedFiles()) {
  writeFileSync(new URL(`../${path}`, import.meta.url), content);
  console.log(`wrote ${path}`);
}
