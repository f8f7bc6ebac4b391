import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { errorPage } from "../../lib/http/error-page.ts";

const folder = fileURLToPath(new URL("../../docs/errors/", import.meta.url));

test("headings, paragraphs, lists, code and links become HTML, and nothing in them becomes markup", () => {
  const page = errorPage(
    "# A_CODE\n\nHTTP 400. `<b>` & [another](OTHER.md#part).\n\n## What to do\n\n- One\n  line\n- Two `a - b`\n",
  );
  expect(page).toContain("<title>A_CODE</title>");
  expect(page).toContain("<h1>A_CODE</h1>");
  expect(page).toContain('<p>HTTP 400. <code>&lt;b&gt;</code> &amp; <a href="OTHER#part">another</a>.</p>');
  expect(page).toContain("<h2>What to do</h2>");
  expect(page).toContain("<ul>\n<li>One\n  line</li>\n<li>Two <code>a - b</code></li>\n</ul>");
});

test.each(readdirSync(folder))("%s uses only as much of Markdown as is rendered", (name) => {
  const page = errorPage(readFileSync(`${folder}${name}`, "utf8"));
  const text = page.replaceAll(/<code>[^<]*<\/code>/g, "").replaceAll(/<[^>]*>/g, "");
  expect(text).not.toMatch(/\*\*|\]\(|```|`|^\s*(?:#|\||\d+\. |> |\* )/m);
});
