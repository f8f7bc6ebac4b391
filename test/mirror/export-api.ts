import { once } from "node:events";
import { createServer } from "node:http";

/** The stand-in's answer to the request for the page at `cursor`; undefined: the page. */
export type Trouble = (request: { readonly page: number; readonly limit: number; readonly url: URL }) =>
  | {
      readonly status: number;
      readonly code: string;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | undefined;

export type StandIn = {
  readonly url: string;
  /** Every query that it received, in order. */
  readonly queries: URLSearchParams[];
  trouble: Trouble;
  /** Added later: one more page after the resume cursor. */
  later: readonly object[];
  /** On the same page. */
  removed: readonly object[];
  /** What `GET /v1/organizations` lists. */
  organizations: readonly object[];
  /** The provider ids of the repositories that each of them has. */
  repositories: readonly string[];
  /** The code of a 403 that it answers instead. */
  organizationsRefused: string | undefined;
  /** The answer of `GET /v1/whoami` for the key. */
  key: { readonly kind: string; readonly scope: object; readonly user_id: string | null };
  close(): Promise<void>;
};

/** The answer of whoami for a workspace's token. */
export const keyOf = (workspace: string): StandIn["key"] => ({
  kind: "workspace",
  scope: { tenant: "workspace", tenant_id: workspace, home: null, organizations: [] },
  user_id: null,
});

/** The part of the API that an export uses: pages of records, a cursor between them, a resume cursor at the end. */
export async function startApi(pages: ReadonlyArray<readonly object[]>): Promise<StandIn> {
  const queries: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", api.url);
    if (url.pathname === "/v1/organizations") {
      response.setHeader("content-type", "application/json");
      if (api.organizationsRefused) {
        response.statusCode = 403;
        response.end(JSON.stringify({ error: { code: api.organizationsRefused, message: "No." } }));
        return;
      }
      response.end(JSON.stringify({ organizations: api.organizations, next_cursor: null }));
      return;
    }
    if (url.pathname.endsWith("/repositories")) {
      const repositories = api.repositories.map((id) => ({ provider_repository_id: id }));
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ repositories, next_cursor: null }));
      return;
    }
    if (url.pathname === "/v1/whoami") {
      const { kind, scope, user_id } = api.key;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ key: { kind }, scope, user_id }));
      return;
    }
    queries.push(url.searchParams);
    const cursor = url.searchParams.get("cursor");
    const page = cursor === null ? 0 : cursor === "resume" ? pages.length : Number(cursor.slice(5));
    const trouble = api.trouble({ page, limit: Number(url.searchParams.get("limit")), url });
    if (trouble) {
      const { status, code, message = "No.", headers } = trouble;
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify({ error: { code, message } }));
      return;
    }
    const isLast = page >= pages.length - 1;
    if (isLast) response.setHeader("x-resume-cursor", "resume");
    const isLater = page >= pages.length;
    const data = pages[page] ?? api.later;
    const body = {
      ...(url.searchParams.get("format") === "sarif" ? { runs: [{ results: data }] } : { data }),
      ...(url.searchParams.has("include_removed") && { removed: isLater ? api.removed : [] }),
      next_cursor: isLast ? null : `page-${page + 1}`,
    };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const api: StandIn = {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    queries,
    trouble: () => undefined,
    later: [],
    removed: [],
    organizations: [],
    repositories: [],
    organizationsRefused: undefined,
    key: keyOf("acme"),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return api;
}
