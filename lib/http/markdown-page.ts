import { certain } from "../runtime/certain.ts";

/**
 * Pages of docs/ for a browser. They use a little of Markdown only (headings, paragraphs, lists, tables, code, links), and
 * a test holds them to it, so a little is enough here. `up` leads from the page to the folder that /docs is in.
 */
export function markdownPage(markdown: string, up: "../" | "../../"): string {
  const blocks = blocksOf(markdown);
  const title = escaped(certain(blocks[0], "title of the page").replace(/^# /, ""));
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title>`,
    '<link rel="icon" href="data:,">',
    `<link rel="stylesheet" href="${up}docs/reference.css">`,
    "</head>",
    '<body class="page">',
    "<main>",
    ...blocks.map(block),
    "</main>",
    `<nav aria-label="Reference"><a href="${up}docs">All operations</a> <a href="${up}docs/errors">Error codes</a> <a href="${up}docs/events">Events</a></nav>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

const fence = /^```.*?\n.*?^```$/gms;

/** What blank lines part, but for those inside code; marks for programs are no blocks. */
function blocksOf(markdown: string): string[] {
  const codes = markdown.match(fence) ?? [];
  const texts = markdown.split(fence);
  return texts.flatMap((text, index) => [
    ...text
      .replaceAll(/<!--.*?-->/g, "")
      .trim()
      .split(/\n{2,}/)
      .filter((each) => each.trim() !== ""),
    ...codes.slice(index, index + 1),
  ]);
}

function block(text: string): string {
  const [, marks = "", words = ""] = /^(#{1,3}) (.*)$/.exec(text) ?? [];
  if (marks === "#") return `<h1>${inline(words)}</h1>`;
  if (marks !== "") return `<h${marks.length} id="${anchorOf(words)}">${inline(words)}</h${marks.length}>`;
  if (text.startsWith("```")) return `<pre tabindex="0"><code>${escaped(codeOf(text))}</code></pre>`;
  if (text.startsWith("|")) return table(text);
  if (!text.startsWith("- ")) return `<p>${inline(text)}</p>`;
  const items = text.slice(2).split(/\n- /);
  return `<ul>\n${items.map((item) => `<li>${inline(item)}</li>`).join("\n")}\n</ul>`;
}

/** As on the sites that show Markdown, so that the same links lead to the same place. */
const anchorOf = (words: string): string =>
  words
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");

const codeOf = (text: string): string => text.replace(/^```.*\n/, "").replace(/```$/, "");

/** It may be wider than a phone: then it scrolls, also by keyboard. */
function table(text: string): string {
  const [heads = [], , ...rows] = text.split("\n").map(cellsOf);
  const row = (cells: readonly string[], open: string, close: string) =>
    `<tr>${cells.map((cell) => open + inline(cell) + close).join("")}</tr>`;
  return [
    '<div class="scroll" tabindex="0" role="group" aria-label="Table">',
    `<table>\n<thead>${row(heads, '<th scope="col">', "</th>")}</thead>`,
    `<tbody>\n${rows.map((cells) => row(cells, "<td>", "</td>")).join("\n")}\n</tbody></table></div>`,
  ].join("\n");
}

const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

/** Code first, so that nothing inside it counts as anything else. */
const inline = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? `<code>${escaped(part.slice(1, -1))}</code>` : words(part)))
    .join("");

/** Links between the pages lose their `.md`; others stay as they are. */
const words = (text: string): string =>
  escaped(text).replace(
    /\[([^\]]*)\]\(([^)\s]*)\)/g,
    (_, label: string, target: string) => `<a href="${target.replace(/\.md(?=#|$)/, "")}">${label}</a>`,
  );

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
