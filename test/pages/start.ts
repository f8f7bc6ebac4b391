import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { chromiumOptions, chromiumPath, hasChromium } from "../support/chromium.ts";
import { readyService, startTool } from "./service.ts";

/** Before the first test: the service, its whole demo, and a browser. After the last: all of it ends. */
export default async function start(project: TestProject): Promise<() => Promise<void>> {
  if (!hasChromium) throw new Error(`There is no ${chromiumPath}: apt-get install chromium.`);
  const folder = await mkdtemp(join(tmpdir(), "review-api-pages-"));
  const tool = startTool("dev", "--json", "--port", "0", "--data", folder);
  const browser = await chromium.launchServer(chromiumOptions);
  project.provide("service", await readyService(tool));
  project.provide("browser", browser.wsEndpoint());
  return async () => {
    await browser.close();
    tool.kill("SIGTERM");
    await once(tool, "close");
    await rm(folder, { recursive: true, force: true });
  };
}
