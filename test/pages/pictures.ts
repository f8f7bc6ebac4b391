import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { chromiumOptions } from "../support/chromium.ts";
import { readyService, startTool } from "./service.ts";

/** `node test/pages/pictures.ts` takes the README's picture of the dashboard, with the demo's data. */
const file = fileURLToPath(new URL("../../docs/pictures/dashboard.png", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "review-api-pictures-"));
const tool = startTool("dev", "--json", "--port", "0", "--data", folder);
const { url, keys } = await readyService(tool);
const browser = await chromium.launch(chromiumOptions);
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 960 }, colorScheme: "light" });
  await page.goto(`${url}/dashboard#days=90`);
  await page.getByLabel("API key").fill(keys.workspace);
  await page.getByRole("button", { name: "Open the dashboard" }).click();
  await page.locator(".headlines").waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  await mkdir(dirname(file), { recursive: true });
  await page.screenshot({ path: file, animations: "disabled" });
  console.log(`Took ${file}.`);
} finally {
  await browser.close();
  tool.kill("SIGTERM");
  await once(tool, "close");
  await rm(folder, { recursive: true, force: true });
}
