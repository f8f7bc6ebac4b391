#!/usr/bin/env node
import { runTypeScript } from "./node.js";

await runTypeScript(async () => {
  const { runProcess } = await import("./process.ts");
  await runProcess(async (words) => {
    // Before the commands are loaded: they import products.
    await (await import("../lib/generate/products.ts")).makeProducts();
    return await (await import("./main.ts")).main(words);
  });
});
