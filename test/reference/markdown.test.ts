import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { referencePages } from "../../lib/contract/reference.ts";
import { markdownHtml, markdownTitle, sectionsOf } from "../../lib/reference/markdown.ts";

const project = fileURLToPath(new URL("../../", import.meta.url));
const folder = `${project}docs/use/errors/`;

test("headings, paragraphs, lists, code and links become HTML, and nothing in them becomes markup", () => {
  const markdown =
    "# A_CODE\n\nHTTP 400. `<b>` & [another](OTHER.md#part).\n\n## What to do\n\n- One\n  line\n- Two `a - b`\n";
  const page = markdownHtml(markdown);
  expect(markdownTitle(markdown)).toBe("A_CODE");
  expect(page).toContain("<h1>A_CODE</h1>");
  expect(page).toContain(
    '<p>HTTP 400. <code>&lt;b&gt;</code> &amp; <a href="OTHER.md#part">another</a>.</p>',
  );
  expect(page).toContain('<h2 id="what-to-do">What to do</h2>');
  expect(page).toContain("<ul>\n<li>One\n  line</li>\n<li>Two <code>a - b</code></li>\n</ul>");
});

test("tables and code become HTML; code keeps its blank lines, and marks for programs are not shown", () => {
  const page = markdownHtml(
    "# T\n\n<!-- x: npm run generate -->\n\n| A | B |\n| --- | --- |\n| `a` | one \\| two |\n\n<!-- end of x -->\n\n" +
      "```python\nif a < b:\n\n    pass\n```\n\nAfter.\n",
  );
  expect(page).toContain('<thead><tr><th scope="col">A</th><th scope="col">B</th></tr></thead>');
  expect(page).toContain("<tr><td><code>a</code></td><td>one | two</td></tr>");
  expect(page).toContain("</span> a &lt; b:\n\n    pass\n</code></pre></div>\n<p>After.</p>");
  expect(page).not.toContain("generate");
});

test("code without a language is called text", () => {
  expect(markdownHtml("# T\n\n```\na\n```\n")).toContain('<span aria-hidden="true">text</span>');
});

test("code inside strong words and links stays code", () => {
  expect(markdownHtml("# T\n\n**after `--a` it** and [`b`](c) `**d**`")).toContain(
    '<p><strong>after <code>--a</code> it</strong> and <a href="c"><code>b</code></a> <code>**d**</code></p>',
  );
});

test("search finds the text below each heading, without Markdown's marks", () => {
  const sections = sectionsOf(
    "# T\n\nOne `two`.\n\n## Part A\n\n| a | b |\n| --- | --- |\n| [c](d.md) | e |\n",
  );
  expect(sections).toEqual([
    { title: "T", anchor: "", text: "One two ." },
    { title: "Part A", anchor: "part-a", text: "a b c e" },
  ]);
});

const pages = [
  ...readdirSync(folder).map((name) => `docs/use/errors/${name}`),
  ...Object.values(referencePages).map(({ file }) => file),
];

test.each(pages)("%s uses only the parts of Markdown that are rendered", (name) => {
  const page = markdownHtml(readFileSync(`${project}${name}`, "utf8"));
  const text = page
    .replaceAll(/<pre.*?<\/pre>/gs, "")
    .replaceAll(/<code>[^<]*<\/code>/g, "")
    .replaceAll(/<[^>]*>/g, "");
  expect(text).not.toMatch(/\*\*|\]\(|```|`|^\s*(?:#|\||\d+\. |> |\* )/m);
});
