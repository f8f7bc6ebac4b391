import { type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll } from "vitest";
import { chromiumOptions, chromiumPath, hasChromium } from "../support/chromium.ts";

export const hasBrowser = hasChromium;
if (!hasBrowser)
  console.log(
    `There is no ${chromiumPath}, so nothing is tried in a browser here: apt-get install chromium.`,
  );

export type Visit = {
  readonly page: Page;
  /** Everything that a page which is in order does not do. */
  readonly faults: readonly string[];
  /** Where it sent requests to. */
  readonly origins: ReadonlySet<string>;
};

/** Pages in a browser with a profile of its own, closed when the tests of the file are over. */
export function useBrowser(profile: () => Promise<string>): () => Promise<Visit> {
  let context: BrowserContext | undefined;
  afterAll(() => context?.close());
  return async () => {
    context ??= await chromium.launchPersistentContext(await profile(), chromiumOptions);
    const page = await context.newPage();
    const faults: string[] = [];
    const origins = new Set<string>();
    page.on("pageerror", (error) => faults.push(error.message));
    // A breach of the content security policy is told here too.
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text());
    });
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== "data:") origins.add(origin);
    });
    return { page, faults, origins };
  };
}
