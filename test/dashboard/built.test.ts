import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { builtDashboard } from "../../dashboard/build.ts";
import { dashboardFiles, dashboardSecurityPolicy } from "../../lib/contract/dashboard.ts";
import { referenceFiles, referenceSecurityPolicy } from "../../lib/contract/reference.ts";

const built = await builtDashboard();
/** Everything that a browser loads for the dashboard, compressed as it is sent. */
const dashboardBytesMax = 250_000;

test("every built file is served, and nothing else", () => {
  expect(
    Object.values(dashboardFiles)
      .map(({ file }) => file)
      .toSorted(),
  ).toEqual([...built.keys()].toSorted());
});

test("the page and all its files stay within the budget, compressed as they are sent", () => {
  // Level 1 is what the service compresses with.
  const bytes = [...built.values()].reduce((sum, text) => sum + gzipSync(text, { level: 1 }).length, 0);
  expect(bytes).toBeLessThan(dashboardBytesMax);
});

test("the page has no inline script and no inline style, and loads only files that are served beside it", () => {
  const page = built.get("dashboard/built/index.html") ?? "";
  expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/);
  expect([...page.matchAll(/<script[^>]*>([^<]*)<\/script>/g)].map(([, inside]) => inside)).toEqual([""]);
  const targets = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, target = ""]) => `/${target}`);
  expect(targets.length).toBeGreaterThan(2);
  expect(Object.keys(dashboardFiles)).toEqual(expect.arrayContaining(targets));
});

test("the policy allows only the service's own address", () => {
  const sources = dashboardSecurityPolicy.split("; ").map((directive) => directive.split(" "));
  expect(Object.fromEntries(sources.map(([name, ...values]) => [name, values.join(" ")]))).toEqual({
    "default-src": "'none'",
    "script-src": "'self'",
    "worker-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "dashboard",
  });
  for (const path of Object.keys(dashboardFiles))
    expect(referenceFiles[path]?.securityPolicy).toBe(dashboardSecurityPolicy);
  expect(referenceSecurityPolicy).not.toBe(dashboardSecurityPolicy);
});

test("the files for the browser name no other host", () => {
  const addresses = [...built.values()].flatMap((text) => text.match(/https?:\/\/[\w.-]+/g) ?? []);
  // Names of markup languages, which are never requested.
  expect([...new Set(addresses)].filter((each) => each !== "http://www.w3.org")).toEqual([]);
});
