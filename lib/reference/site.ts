import { type ApiDocument, type Endpoint, endpointsOf } from "./document.ts";
import { escaped, type Link } from "./html.ts";
import { layout, type Menu, methodBadge, operationPath, upFrom } from "./layout.ts";
import { markdownHtml, titleOf } from "./markdown.ts";
import { operationMain } from "./operation-page.ts";
import { searchIndex } from "./search-index.ts";

export type Site = {
  /** A page by its path, or undefined where there is none. */
  readonly page: (path: string) => string | undefined;
  /** What the search dialog looks through, as JSON. */
  readonly search: () => string;
};

export type MarkdownSource = {
  readonly path: string;
  /** Below the project's root: its links begin there. */
  readonly file: string;
  /** How search names what it finds there. */
  readonly kind: string;
  /** The part of the menu that the page stands in; null: in none. */
  readonly menuTitle: string | null;
  readonly markdown: string;
};

/**
 * The reference: a page for every operation of the document and for every Markdown page, each made when it is asked for.
 * `filePlaces` has the paths of other files that are served, by their names below the project's root.
 */
export function createSite(
  document: ApiDocument,
  sources: readonly MarkdownSource[],
  filePlaces: ReadonlyMap<string, string>,
): Site {
  const endpoints = endpointsOf(document);
  const menu = menuOf(document, endpoints, sources);
  const places = new Map([...filePlaces, ...sources.map(({ file, path }) => [file, path] as const)]);
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
      const html = markdownHtml(source.markdown, linkIn(source, places));
      return layout(
        { path, title: titleOf(source.markdown), main: `<div class="prose">\n${html}\n</div>` },
        menu,
      );
    },
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
    title === null ? [] : [{ title, path, label: escaped(titleOf(markdown)) }],
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

/** In the files of docs/ a link names a file; here it leads to the page of that file, if it has one. */
const linkIn =
  ({ path, file }: MarkdownSource, places: ReadonlyMap<string, string>): Link =>
  (target) => {
    if (/^(?:https?:|#)/.test(target)) return target;
    const { pathname, hash } = new URL(target, `file:///${file}`);
    const place = places.get(pathname.slice(1));
    return place === undefined ? undefined : `${upFrom(path)}${place.slice(1)}${hash}`;
  };

/** The document's descriptions link as seen from the service's own address, such as docs/guide#limits. */
const linkedFrom = (path: string, main: string): string =>
  main.replaceAll(' href="docs/', ` href="${upFrom(path)}docs/`);
