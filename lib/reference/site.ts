import { type ApiDocument, type Endpoint, endpointsOf } from "./document.ts";
import { llmsText, markdownPage, operationMarkdown } from "./for-machines.ts";
import { escaped, type Link } from "./html.ts";
import { layout, type Menu, markdownPath, methodBadge, operationPath, upFrom } from "./layout.ts";
import { markdownHtml, markdownTitle, withContents } from "./markdown.ts";
import { operationMain } from "./operation-page.ts";
import { searchIndex } from "./search-index.ts";

export type Site = {
  /** Returns a page by its path, or undefined if there is none. */
  readonly page: (path: string) => string | undefined;
  /** Returns the Markdown form of a page by its own path, which ends in `.md`. */
  readonly markdown: (path: string) => string | undefined;
  /** The entries for the search dialog, as JSON. */
  readonly search: () => string;
  /** The list of all pages, for language models. */
  readonly llms: () => string;
};

export type MarkdownSource = {
  readonly path: string;
  /** Relative to the project's root; its links are resolved from there. */
  readonly file: string;
  /** The label of its search results. */
  readonly kind: string;
  /** The section of the menu that contains the page; null if the page is not in the menu. */
  readonly menuTitle: string | null;
  readonly markdown: string;
};

/**
 * The reference: a page for every operation of the document and for every Markdown page, each rendered when it is
 * requested. `filePlaces` maps other served files, by their names below the project's root, to their paths.
 */
export function createSite(
  document: ApiDocument,
  sources: readonly MarkdownSource[],
  filePlaces: ReadonlyMap<string, string>,
): Site {
  const endpoints = endpointsOf(document);
  const menu = menuOf(document, endpoints, sources);
  const places = new Map([...filePlaces, ...sources.map(({ file, path }) => [file, path] as const)]);
  const textPlaces = new Map([
    ...filePlaces,
    ...sources.map(({ file, path }) => [file, markdownPath(path)] as const),
  ]);
  const operations = new Map(endpoints.map((endpoint) => [operationPath(endpoint.operationId), endpoint]));
  const pages = new Map(sources.map((source) => [source.path, source]));
  return {
    page(path) {
      const endpoint = operations.get(path);
      if (endpoint) {
        const main = linkedFrom(path, operationMain(document, endpoint));
        return layout({ path, title: endpoint.summary, main }, menu);
      }
      const source = pages.get(path);
      if (!source) return undefined;
      const html = withContents(markdownHtml(source.markdown, linkIn(source, places)));
      return layout(
        { path, title: markdownTitle(source.markdown), main: `<div class="prose">\n${html}\n</div>` },
        menu,
      );
    },
    markdown(path) {
      const endpoint = endpoints.find(({ operationId }) => markdownPath(operationPath(operationId)) === path);
      if (endpoint) return operationMarkdown(endpoint);
      const source = sources.find((each) => markdownPath(each.path) === path);
      return source && markdownPage(source.markdown, linkIn({ ...source, path }, textPlaces));
    },
    llms: () =>
      llmsText(
        document,
        endpoints,
        sources.filter(({ menuTitle }) => menuTitle !== null),
      ),
    search: () =>
      JSON.stringify(
        searchIndex(
          document,
          endpoints,
          sources.map(({ path, kind, markdown }) => [path, kind, markdown] as const),
        ),
      ),
  };
}

const dashboard = { path: "/dashboard", label: "Dashboard" };

function menuOf(
  document: ApiDocument,
  endpoints: readonly Endpoint[],
  sources: readonly MarkdownSource[],
): Menu {
  const listed = sources.flatMap(({ menuTitle: title, path, markdown }) =>
    title === null ? [] : [{ title, path, label: escaped(markdownTitle(markdown)) }],
  );
  return [
    ...[...Map.groupBy(listed, ({ title }) => title)].map(([title, items]) => ({
      title,
      items: title === "" ? [...items, dashboard] : items,
    })),
    ...document.tags.map(({ name }) => ({
      title: name,
      items: endpoints
        .filter(({ tags }) => tags[0] === name)
        .map(({ operationId, summary, method }) => ({
          path: operationPath(operationId),
          label: `<span>${escaped(summary)}</span> ${methodBadge(method)}`,
        })),
    })),
  ];
}

/** In the files of docs/ a link names a file; here it leads to the page of that file, if there is one. */
const linkIn =
  ({ path, file }: MarkdownSource, places: ReadonlyMap<string, string>): Link =>
  (target) => {
    if (/^(?:https?:|#)/.test(target)) return target;
    const { pathname, hash } = new URL(target, `file:///${file}`);
    const place = places.get(pathname.slice(1));
    return place === undefined ? undefined : `${upFrom(path)}${place.slice(1)}${hash}`;
  };

/** Links in the document's descriptions are relative to the service's root, such as docs/limits#sizes. */
const linkedFrom = (path: string, main: string): string =>
  main.replaceAll(' href="docs/', ` href="${upFrom(path)}docs/`);
