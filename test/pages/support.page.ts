import { expect, test } from "vitest";
import { expectAccessible, openPage, service } from "./support.ts";

test("the check of accessibility sees what is wrong, and passes what is right", async () => {
  const { page } = await openPage();
  await page.setContent(`<html lang="en"><title>Right</title><main><h1>Right</h1></main></html>`);
  await expectAccessible(page);
  await page.setContent(`<html lang="en"><title>Wrong</title><main><h1>Wrong</h1><input></main></html>`);
  await expect(expectAccessible(page)).rejects.toThrow(/label/);
});

test("a breach of a page's own policy is a fault", async () => {
  const { page, faults } = await openPage();
  await page.goto(`${service().url}/docs/errors/INVALID_CURSOR`);
  await page.evaluate(`document.body.setAttribute("style", "color: red")`);
  await expect.poll(() => faults).toEqual([expect.stringContaining("Content Security Policy")]);
});
