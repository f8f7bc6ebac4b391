import { execFileSync } from "node:child_process";
import { join } from "node:path";
import "./node-version.ts";

/** Before any test file is loaded: they import products. A process of its own, because vitest bundles its settings. */
execFileSync(process.execPath, [join(import.meta.dirname, "../../cli/products.js")], { stdio: "inherit" });
