import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { chromiumOptions } from "../support/chromium.ts";
import { startDemoService } from "./service.ts";

/** `npm run pictures` takes the README's screenshots of the dashboard, with the demo's data. */
const pictures = [
  ["dashboard.png", "", { width: 1280, height: 960 }],
  ["dashboard-teams.png", "#page=teams", { width: 1280, height: 900 }],
] as const;

const { url, keys, stop } = await startDemoService();
const browser = await chromium.launch(chromiumOptions);
try {
  for (const [name, address, viewport] of pictures) {
    const page = await browser.newPage({ viewport, colorScheme: "light" });
    await page.goto(`${url}/dashboard${address}`);
    await page.getByLabel("API key").fill(keys.workspace);
    await page.getByRole("button", { name: "Open the dashboard" }).click();
    await page.locator("#figures").waitFor();
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
    const file = fileURLToPath(new URL(`../../docs/pictures/${name}`, import.meta.url));
    await mkdir(dirname(file), { recursive: true });
    await page.screenshot({ path: file, animations: "disabled" });
    console.log(`Took ${file}.`);
  }
} finally {
  await browser.close();
  await stop();
}
