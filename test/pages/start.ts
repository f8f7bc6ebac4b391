import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { chromiumOptions, chromiumPath, hasChromium } from "../support/chromium.ts";
import { startDemoService } from "./service.ts";

/** Before the first test: the service, its whole demo, and a browser. After the last: all of it ends. */
export default async function start(project: TestProject): Promise<() => Promise<void>> {
  if (!hasChromium) throw new Error(`There is no ${chromiumPath}: apt-get install chromium.`);
  const { stop, ...service } = await startDemoService();
  const browser = await chromium.launchServer(chromiumOptions);
  project.provide("service", service);
  project.provide("browser", browser.wsEndpoint());
  return async () => {
    await browser.close();
    await stop();
  };
}
