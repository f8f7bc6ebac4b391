import type { BrowserContextOptions, Page } from "playwright-core";
import { createClient } from "../../lib/client/client.ts";
import type { KeyKind } from "../../lib/contract/access.ts";
import type { Only } from "../../lib/contract/only.ts";
import { desktop, openPage, service, type Visit } from "./support.ts";

/** All that the browser tests of the dashboard share. */

export type Opening = {
  readonly key?: string;
  readonly kind?: KeyKind;
  /** The part of the address after `#`. */
  readonly address?: string;
  readonly isKept?: boolean;
  readonly options?: BrowserContextOptions;
  /** Runs before the page is requested: sets up obstacles. */
  prepare?(page: Page): Promise<unknown>;
};

/** Opens the page, pastes a key and sends it. */
export async function openDashboard({
  kind = "workspace",
  address = "",
  ...more
}: Opening = {}): Promise<Visit> {
  const visit = await openPage(more.options ?? desktop);
  const { page } = visit;
  await more.prepare?.(page);
  await page.goto(`${service().url}/dashboard${address === "" ? "" : `#${address}`}`);
  await enterKey(page, more.key ?? service().keys[kind], more.isKept ?? false);
  return visit;
}

export async function enterKey(page: Page, key: string, isKept = false): Promise<void> {
  await page.getByLabel("API key").fill(key);
  if (isKept) await page.getByLabel("Keep it for this tab").check();
  await page.getByRole("button", { name: "Open the dashboard" }).click();
}

/**
 * Waits until nothing is being read. The worker learns of a choice on the open page a moment later: there a test polls
 * for the figures.
 */
export async function untilRead(page: Page): Promise<void> {
  await page.locator("#figures").waitFor();
  await page
    .locator("#figures[aria-busy=true], #figures [aria-busy=true]")
    .first()
    .waitFor({ state: "detached" });
}

/** Opens another page by its link, and waits for it. */
export async function goTo(page: Page, title: string): Promise<void> {
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: title }).click();
  await page.getByRole("heading", { name: title, level: 2 }).waitFor({ state: "attached" });
  await untilRead(page);
}

/** The titles of what the open page does not show with this key. */
export const leftOut = async (page: Page): Promise<string[]> =>
  (await page.locator(".left-out").allTextContents()).flatMap(
    (text) => /^Not shown with this key: ([^.]*)\./.exec(text)?.[1]?.split(", ") ?? [],
  );

export const card = (page: Page, title: string) =>
  page.locator("section.card").filter({ has: page.getByRole("heading", { name: title, exact: true }) });

/** A key like the one of this kind that may do only this. */
export async function narrowKey(kind: KeyKind, only: Only[]): Promise<string> {
  const { url, keys } = service();
  const client = createClient({ baseUrl: url, key: keys[kind] });
  return (await client.createKey({ body: { name: only.join(" "), only } })).body.key;
}

const tabsMax = 80;

/** Presses Tab until the element with this name has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let tabs = 0; tabs < tabsMax; tabs++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(
      "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()",
    );
    if (String(at).startsWith(name)) return;
  }
  throw new Error(`Tab never came to ${name}.`);
}
