import { expect, test } from "vitest";
import { expectAccessible, openPage, service } from "./support.ts";

test("the accessibility check detects a problem, and passes a correct page", async () => {
  const { page } = await openPage();
  await page.setContent(`<html lang="en"><title>Right</title><main><h1>Right</h1></main></html>`);
  await expectAccessible(page);
  await page.setContent(`<html lang="en"><title>Wrong</title><main><h1>Wrong</h1><input></main></html>`);
  await expect(expectAccessible(page)).rejects.toThrow(/label/);
});

test("a violation of a page's own policy is an error", async () => {
  const { page, faults } = await openPage();
  await page.goto(`${service().url}/docs/errors/INVALID_CURSOR`);
  await page.evaluate(`document.body.setAttribute("style", "color: red")`);
  await expect.poll(() => faults).toEqual([expect.stringContaining("Content Security Policy")]);
});
