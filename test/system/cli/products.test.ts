import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import cdkSettings from "../../../cdk.json" with { type: "json" };
import { dashboardFiles } from "../../../lib/contract/dashboard.ts";
import { documentFile } from "../../../lib/contract/reference.ts";
import { products } from "../../../lib/generate/products.ts";
import manifest from "../../../package.json" with { type: "json" };
import { copyProject, type ProjectCopy } from "../docs/project-copy.ts";

let copy: ProjectCopy;
beforeAll(async () => {
  copy = await copyProject();
});
afterAll(() => copy.remove());

const pathOf = (file: string): string => join(copy.folder, file);
const read = (file: string): string => readFileSync(pathOf(file), "utf8");
const missing = (): readonly string[] => products.filter((file) => !existsSync(pathOf(file)));

describe("in a checkout without products, as after npm install --ignore-scripts", () => {
  test.each([
    "node cli/review-api.js help",
    "npx vitest list test/architecture/titles.test.ts",
    "npm run package -- --dry-run",
  ])("%s makes all products", async (line) => {
    for (const file of products) rmSync(pathOf(file), { force: true });
    await copy.run(line);
    expect(missing()).toEqual([]);
  });

  test("every script that compiles or bundles makes the products first", () => {
    const { prepare, start, types, bundle, explain, bench } = manifest.scripts;
    expect(prepare).toBe("node cli/products.js");
    expect(start).toMatch(/^node cli\/review-api\.js /);
    for (const line of [types, bundle, explain, bench, cdkSettings.app])
      expect(line).toMatch(`${prepare} && `);
  });
});

describe("a product is made again", () => {
  const make = () => copy.run("node cli/products.js");
  const page = dashboardFiles["/dashboard/page.js"].file;
  beforeAll(make);

  test("a change of the contract is in the document and in the client after the next command", async () => {
    const source = "lib/contract/operations/roles.ts";
    writeFileSync(pathOf(source), read(source).replace("/v1/roles/permissions", "/v1/roles/rights"));
    await make();
    for (const file of [documentFile, "lib/client/operations.generated.ts"])
      expect([file, read(file).includes("/v1/roles/rights")]).toEqual([file, true]);
  });

  test("a product that somebody changed or deleted is as it was after the next command", async () => {
    const before = read(page);
    writeFileSync(pathOf(page), `${before}\n`);
    rmSync(pathOf(documentFile));
    await make();
    expect(read(page) === before).toBe(true);
    expect(missing()).toEqual([]);
  });
});
