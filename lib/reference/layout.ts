import { escaped } from "./html.ts";

/** The parts of the menu; the first has no title. Labels are HTML already. */
export type Menu = ReadonlyArray<{
  readonly title: string;
  readonly items: ReadonlyArray<{ readonly path: string; readonly label: string }>;
}>;

export type PageContent = {
  /** Below the service's own address, such as /docs/errors. */
  readonly path: string;
  readonly title: string;
  readonly main: string;
};

/** Links are relative, so that the pages also work below a stage's path. */
export const upFrom = (path: string): string => "../".repeat(path.split("/").length - 2);

export const operationPath = (operationId: string): string => `/docs/operations/${operationId}`;

/** The path of a page's Markdown form. */
export const markdownPath = (path: string): string => (path === "/docs" ? "/docs/index.md" : `${path}.md`);

/** Everything around the content: the same on every page, readable without the script. */
export function layout({ path, title, main }: PageContent, menu: Menu): string {
  const up = upFrom(path);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Review API</title>
<link rel="icon" href="data:,">
<link rel="alternate" type="text/markdown" href="${up}${markdownPath(path).slice(1)}">
<link rel="stylesheet" href="${up}docs/reference.css">
<script src="${up}docs/reference.js"></script>
</head>
<body data-up="${up}">
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="brand" href="${up}docs">Review API <span>reference</span></a>
<button type="button" id="search-open" class="search-open" hidden>Search <kbd>/</kbd></button>
<a class="plain" href="${up}openapi.json">OpenAPI</a>
<button type="button" id="scheme" class="scheme" hidden>◐ <span>system</span></button>
<a class="menu-open" href="#menu">Menu</a>
</header>
<div class="columns">
${sidebar(path, up, menu)}
<main id="content" tabindex="-1">
${main}
</main>
</div>
<dialog id="search" aria-label="Search the reference">
<form method="dialog"><label for="search-text">Search operations, fields, errors, events</label>
<div class="search-line"><input id="search-text" type="search" autocomplete="off" spellcheck="false">
<button type="submit">Close</button></div></form>
<p id="search-count" role="status"></p>
<ul id="search-found"></ul>
</dialog>
</body>
</html>
`;
}

function sidebar(path: string, up: string, menu: Menu): string {
  // The page of an error code is not in the menu itself, but belongs to a page in the menu.
  const current = (target: string) =>
    target === path ? ' aria-current="page"' : isPartOf(path, target) ? ' aria-current="true"' : "";
  return [
    '<nav id="menu" class="side" aria-label="Reference">',
    '<a class="menu-close" href="#content">Close menu</a>',
    ...menu.flatMap(({ title, items }) => [
      ...(title === "" ? [] : [`<h2>${escaped(title)}</h2>`]),
      "<ul>",
      ...items.map(
        ({ path: target, label }) =>
          `<li><a href="${up}${target.slice(1)}"${current(target)}>${label}</a></li>`,
      ),
      "</ul>",
    ]),
    "</nav>",
  ].join("\n");
}

const isPartOf = (path: string, target: string): boolean =>
  target !== "/docs" && path.startsWith(`${target}/`);

export const methodBadge = (method: string): string =>
  `<span class="method ${method}">${method.toUpperCase()}</span>`;
