import { required } from "../runtime/required.ts";
import { anchorOf, codeBlock, inline, type Link } from "./html.ts";

/**
 * Converts pages of docs/ for a browser. They use only a small part of Markdown (headings, paragraphs, lists, tables,
 * code, links), and a test enforces that, so this converter supports only that part.
 */
export const markdownHtml = (markdown: string, link?: Link): string =>
  blocksOf(markdown)
    .map((text) => block(text, link))
    .join("\n");

export const markdownTitle = (markdown: string): string =>
  required(/^# (.+)$/m.exec(markdown)?.[1], "title of a Markdown page");

/** On a long page: links to its parts, below its title. */
export function withContents(html: string): string {
  const heads = [...html.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)];
  if (heads.length < contentsFrom) return html;
  const items = heads.map(([, id, words]) => `<li><a href="#${id}">${words}</a></li>`);
  return html.replace(
    "</h1>",
    `</h1>\n<nav class="contents" aria-label="On this page"><ul>\n${items.join("\n")}\n</ul></nav>`,
  );
}
const contentsFrom = 5;

export type MarkdownSection = { readonly title: string; readonly anchor: string; readonly text: string };

/** The texts for the search: the text below each heading. */
export function sectionsOf(markdown: string): MarkdownSection[] {
  const sections: { title: string; anchor: string; text: string }[] = [];
  for (const text of blocksOf(markdown)) {
    const heading = headingOf(text);
    if (heading) {
      const anchor = heading.level === 1 ? "" : anchorOf(heading.words);
      sections.push({ title: heading.words.replaceAll("`", ""), anchor, text: "" });
      continue;
    }
    const section = required(sections.at(-1), "title above the text of a Markdown page");
    section.text = `${section.text} ${plain(text)}`.trim();
  }
  return sections;
}

const plain = (text: string): string =>
  text
    .replaceAll(/^```.*$|^\|[- |]+\|$/gm, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`|*]/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

const fence = /^```.*?\n.*?^```$/gms;

/** Splits at blank lines, except inside code; HTML comments are removed. */
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

function headingOf(text: string): { readonly level: number; readonly words: string } | undefined {
  const [, marks, words] = /^(#{1,3}) (.*)$/.exec(text) ?? [];
  return marks !== undefined && words !== undefined ? { level: marks.length, words } : undefined;
}

function block(text: string, link?: Link): string {
  const heading = headingOf(text);
  if (heading?.level === 1) return `<h1>${inline(heading.words)}</h1>`;
  if (heading)
    return `<h${heading.level} id="${anchorOf(heading.words)}">${inline(heading.words)}</h${heading.level}>`;
  if (text.startsWith("```")) return codeBlock(codeOf(text), languageOf(text));
  if (text.startsWith("|")) return table(text, link);
  if (!text.startsWith("- ")) return `<p>${inline(text, link)}</p>`;
  const items = text.slice(2).split(/\n- /);
  return `<ul>\n${items.map((item) => `<li>${inline(item, link)}</li>`).join("\n")}\n</ul>`;
}

const codeOf = (text: string): string => text.replace(/^```.*\n/, "").replace(/```$/, "");
const languageOf = (text: string): string => /^```(\w+)/.exec(text)?.[1] ?? "text";

/** A table may be wider than a phone's screen: then it scrolls, also by keyboard. */
function table(text: string, link?: Link): string {
  const [heads = [], , ...rows] = text
    .split("\n")
    .map((line) => cellsOf(line).map((cell) => inline(cell, link)));
  return htmlTable(heads, rows);
}

/** Cells are HTML already. */
export function htmlTable(heads: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const row = (cells: readonly string[], open: string, close: string) =>
    `<tr>${cells.map((cell) => open + cell + close).join("")}</tr>`;
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
