import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { chromiumOptions } from "../support/chromium.ts";
import { startDemoService } from "./service.ts";

/** `node test/pages/pictures.ts` takes the README's screenshot of the dashboard, with the demo's data. */
const file = fileURLToPath(new URL("../../docs/pictures/dashboard.png", import.meta.url));
const { url, keys, stop } = await startDemoService();
const browser = await chromium.launch(chromiumOptions);
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 960 }, colorScheme: "light" });
  await page.goto(`${url}/dashboard`);
  await page.getByLabel("API key").fill(keys.workspace);
  await page.getByRole("button", { name: "Open the dashboard" }).click();
  await page.locator(".headlines").waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  await mkdir(dirname(file), { recursive: true });
  await page.screenshot({ path: file, animations: "disabled" });
  console.log(`Took ${file}.`);
} finally {
  await browser.close();
  await stop();
}
