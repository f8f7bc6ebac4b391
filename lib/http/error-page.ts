import { certain } from "../runtime/certain.ts";

/**
 * The pages of docs/errors for a browser. They use a little of Markdown only (headings, paragraphs, lists, code,
 * links), and a test holds them to it, so a little is enough here.
 */
export function errorPage(markdown: string): string {
  const blocks = markdown.trim().split(/\n{2,}/);
  const title = escaped(certain(blocks[0], "title of the page").replace(/^# /, ""));
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title>`,
    '<link rel="icon" href="data:,">',
    '<link rel="stylesheet" href="../reference.css">',
    "</head>",
    '<body class="page">',
    ...blocks.map(block),
    '<p><a href="../../docs">All operations</a></p>',
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function block(text: string): string {
  if (text.startsWith("# ")) return `<h1>${inline(text.slice(2))}</h1>`;
  if (text.startsWith("## ")) return `<h2>${inline(text.slice(3))}</h2>`;
  if (!text.startsWith("- ")) return `<p>${inline(text)}</p>`;
  const items = text.slice(2).split(/\n- /);
  return `<ul>\n${items.map((item) => `<li>${inline(item)}</li>`).join("\n")}\n</ul>`;
}

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
