import { expect, test } from "vitest";
import * as z from "zod";
import { pages } from "../../dashboard/pages.ts";
import { pageNames } from "../../dashboard/view.ts";
import { card, goTo, openDashboard, untilRead } from "./dashboard.ts";
import { expectGoodLooks } from "./support.ts";

test("four pages: the address holds page and filters, each reads its own, and the back button works", async () => {
  const { page, faults } = await openDashboard({ kind: "organization", address: "days=90" });
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/v1/")) asked.push(pathname);
  });
  await untilRead(page);
  expect(asked.filter((path) => !/whoami|metrics\/review|teams/.test(path))).toEqual([]);
  expect(await page.getByRole("navigation", { name: "Pages" }).getByRole("link").allTextContents()).toEqual(
    pageNames.map((name) => pages[name].title),
  );
  await goTo(page, "Quality");
  expect(new URL(page.url()).hash).toBe("#page=quality&days=90");
  await expect.poll(() => page.title()).toBe("Quality · Review dashboard");
  expect(await card(page, "Learnings by use").count()).toBe(1);
  expect(asked.filter((path) => /users|audit|webhooks|keys|security/.test(path))).toEqual([]);
  await goTo(page, "Administration");
  for (const title of ["Seats", "Keys", "Webhooks", "Open security findings", "Recent audit entries"])
    expect(await card(page, title).count(), title).toBe(1);
  await page.goBack();
  await page.goBack();
  await untilRead(page);
  expect(new URL(page.url()).hash).toBe("#days=90");
  expect(await page.locator(".headlines").count()).toBe(1);
  await page.goForward();
  await card(page, "Learnings by use").waitFor();
  // A reader with another key opens the same page.
  await page.reload();
  expect(new URL(page.url()).hash).toBe("#page=quality&days=90");
  expect(faults).toEqual([]);
});

test.each(pageNames)("the page %s is accessible in both modes, on a desktop and on a phone", async (name) => {
  const { page, faults } = await openDashboard({ kind: "organization", address: `page=${name}&days=90` });
  await untilRead(page);
  for (const button of await page.getByRole("button", { name: /^Numbers:/ }).all()) await button.click();
  // One form of a date.
  expect(await page.locator("#figures").textContent()).not.toMatch(/\d{4}-\d{2}-\d{2}/);
  await expectGoodLooks(page);
  expect(faults).toEqual([]);
});

test("an audit entry without a summary shows the id of what it is about", async () => {
  const { page } = await openDashboard({
    kind: "organization",
    address: "page=administration",
    prepare: (page) =>
      page.route("**/v1/audit-logs*", async (route) => {
        const response = await route.fetch();
        const answer = z.looseObject({ data: z.array(z.looseObject({})) }).parse(await response.json());
        const [first = {}, second = {}] = answer.data;
        const shown = { resource_id: "learning-77" };
        const data = [
          { ...first, ...shown, summary: "" },
          { ...second, ...shown, summary: "Approved" },
        ];
        await route.fulfill({ response, json: { ...answer, data, next_cursor: null } });
      }),
  });
  await untilRead(page);
  const rows = card(page, "Recent audit entries").locator("tbody tr");
  expect(await rows.locator("td:last-child").allTextContents()).toEqual(["learning-77", "Approved"]);
});
