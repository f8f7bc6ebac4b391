import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { errorCodes, itemErrorCodes } from "../../lib/contract/errors.ts";

const folder = fileURLToPath(new URL("../../docs/use/errors/", import.meta.url));

test("every error code has its page, and every page its code", () => {
  const codes = Object.keys({ ...errorCodes, ...itemErrorCodes }).toSorted();
  const pages = readdirSync(folder).map((name) => name.replace(/\.md$/, ""));
  expect(pages.toSorted()).toEqual(codes);
});

test.each(Object.entries(errorCodes))(
  "the page of %s names its status and what to do",
  (code, { status }) => {
    const page = readFileSync(`${folder}${code}.md`, "utf8");
    expect(page).toMatch(new RegExp(`^# ${code}\n\nHTTP ${status}\\. `));
    expect(page).toContain("## What to do\n\n");
  },
);
