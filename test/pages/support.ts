import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, expect, inject } from "vitest";
import * as z from "zod";
import type { Service } from "./service.ts";

declare module "vitest" {
  interface ProvidedContext {
    service: Service;
    /** Where the browser that all tests share accepts connections. */
    browser: string;
  }
}

/** The one local service of the run, with its demo and a key of every kind. */
export const service = (): Service => inject("service");

export type Visit = {
  readonly page: Page;
  /** Everything that a correct page does not do: exceptions, errors in the console, violations of its policy. */
  readonly faults: readonly string[];
  /** Where the page sent requests to. */
  readonly origins: ReadonlySet<string>;
};

export const phone = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
} satisfies BrowserContextOptions;
export const desktop = {
  viewport: { width: 1440, height: 900 },
  isMobile: false,
  hasTouch: false,
} satisfies BrowserContextOptions;
type Device = typeof phone | typeof desktop;

/** The open page, on another device. */
async function showOn(page: Page, { viewport, isMobile, hasTouch }: Device): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const metrics = { ...viewport, mobile: isMobile, deviceScaleFactor: 1 };
  await session.send("Emulation.setDeviceMetricsOverride", metrics);
  await session.send("Emulation.setTouchEmulationEnabled", { enabled: hasTouch });
  await expect
    .poll(() => page.evaluate("[innerWidth, matchMedia('(pointer: coarse)').matches]"))
    .toEqual([viewport.width, hasTouch]);
}

/** A browser on a busy machine is slow; a page that never loads is still a failure. */
const patienceMs = 120_000;

let connected: Promise<Browser> | undefined;
const browser = () => {
  connected ??= chromium.connect(inject("browser"));
  return connected;
};
afterEach(async () => {
  for (const context of (await connected)?.contexts() ?? []) await context.close();
});
afterAll(async () => (await connected)?.close());

/** A page in its own profile, which is closed with the test. */
export async function openPage(options: BrowserContextOptions = desktop): Promise<Visit> {
  const context = await (await browser()).newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const faults: string[] = [];
  const origins = new Set<string>();
  page.on("pageerror", (error) => faults.push(error.message));
  // A violation of the content security policy is reported here too.
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:") origins.add(origin);
  });
  return { page, faults, origins };
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const violations = z.array(
  z.object({
    id: z.string(),
    help: z.string(),
    nodes: z.array(z.object({ html: z.string(), failureSummary: z.string().optional() })),
  }),
);

const transitionsEnd = `Promise.allSettled(
  document.getAnimations().flatMap((each) => (each instanceof CSSTransition ? each.finished : [])),
).then(() => undefined)`;

/** Expects no finding of axe on the current page. */
export async function expectAccessible(page: Page): Promise<void> {
  // axe is evaluated, not added to the page: the page's policy would refuse that, and stays in force. A colour in
  // transition has a contrast of its own, so transitions end first.
  await page.evaluate(transitionsEnd);
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axeSource);
  const found = violations.parse(
    await page.evaluate(
      `axe.run(document, { resultTypes: ["violations"] }).then((received) => received.violations)`,
    ),
  );
  const shown = found.map(({ id, help, nodes }) => ({
    id,
    help,
    where: nodes.slice(0, 3).map(({ html }) => html),
  }));
  expect(shown).toEqual([]);
}

/**
 * Accessible on a desktop and on a phone, light and dark, and never wider than the window: the page is loaded once for
 * all.
 */
export async function expectGoodLooks(page: Page): Promise<void> {
  for (const device of [desktop, phone]) {
    await showOn(page, device);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
    }
    const wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    // Charts get their new width after the page.
    await expect.poll(() => page.evaluate(wider)).toBe(0);
  }
}
