import { type ApiDocument, endpointsOf } from "./document.ts";
import { type Group, layout, operationPath } from "./layout.ts";
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
  /** How search names what it finds there. */
  readonly kind: string;
  readonly markdown: string;
};

/** The reference: a page for every operation of the document and for every Markdown page, each made when it is asked for. */
export function createSite(document: ApiDocument, sources: readonly MarkdownSource[]): Site {
  const endpoints = endpointsOf(document);
  const groups = document.tags.map(
    ({ name, description }): Group => ({
      name,
      description,
      endpoints: endpoints.filter(({ tags }) => tags[0] === name),
    }),
  );
  const operations = new Map(endpoints.map((endpoint) => [operationPath(endpoint.operationId), endpoint]));
  const pages = new Map(sources.map((source) => [source.path, source.markdown]));
  return {
    page(path) {
      const endpoint = operations.get(path);
      if (endpoint)
        return layout({ path, title: endpoint.summary, main: operationMain(document, endpoint) }, groups);
      const markdown = pages.get(path);
      if (markdown === undefined) return undefined;
      const main = `<div class="prose">\n${linkedFrom(path, markdownHtml(markdown))}\n</div>`;
      return layout({ path, title: titleOf(markdown), main }, groups);
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

/** In the folder docs/ a link begins there; at /docs it begins one step above. */
const linkedFrom = (path: string, main: string): string =>
  path === "/docs" ? main.replaceAll(/ href="(?!https?:|#)/g, ' href="docs/') : main;
