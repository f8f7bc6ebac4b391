// Makes the products that are missing or older than their sources. `npm install` runs this.
import { runTypeScript } from "./node.js";

await runTypeScript(async () => (await import("../lib/generate/products.ts")).makeProducts());
