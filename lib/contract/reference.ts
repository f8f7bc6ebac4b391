import { dashboardFiles, dashboardPath } from "./dashboard.ts";
import { eventTypeNames } from "./event-names.ts";
import type { Method } from "./operation.ts";

/**
 * The API reference: a page, its script and style, the OpenAPI document and a page for every error code; and the
 * dashboard. One function serves all of it, to everybody and without a key, locally as deployed.
 */

/** functions/<source>.ts holds its handler. */
export const referenceSource = "docs";

const route = (path: string) => ({
  source: referenceSource,
  method: "GET" as const satisfies Method,
  path,
  streaming: false,
});

export const referenceRoutes = [
  route("/"),
  route("/openapi.json"),
  route("/docs"),
  route("/docs/{asset}"),
  // A fixed step beats a parameter, so each of these needs its own.
  route("/docs/errors"),
  route("/docs/errors/{code}"),
  route("/docs/events"),
  route("/docs/events/{schema}"),
  route(dashboardPath),
  route(`${dashboardPath}/{asset}`),
];

/** Where the root leads. */
export const referencePath = "/docs";

export type ReferenceFile = {
  /** Below the project's root; the function's bundle has it under the same path beside it. */
  readonly file: string;
  readonly contentType: string;
  /** Its own content security policy; the reference's, where it has none. */
  readonly securityPolicy?: string;
};

export const html = "text/html; charset=utf-8";
const script = "text/javascript; charset=utf-8";

/** What is served as it is, by its path. */
export const referenceFiles: Readonly<Record<string, ReferenceFile>> = {
  ...dashboardFiles,
  "/openapi.json": { file: "docs/openapi.json", contentType: "application/json" },
  "/docs": { file: "docs/reference/index.html", contentType: html },
  "/docs/reference.js": { file: "docs/reference/reference.js", contentType: script },
  "/docs/reference.css": { file: "docs/reference/reference.css", contentType: "text/css; charset=utf-8" },
  "/docs/swagger-ui.js": {
    file: "node_modules/swagger-ui-dist/swagger-ui-bundle.js",
    contentType: script,
  },
  "/docs/swagger-ui.css": {
    file: "node_modules/swagger-ui-dist/swagger-ui.css",
    contentType: "text/css; charset=utf-8",
  },
  ...Object.fromEntries(
    eventTypeNames.map((name) => [
      `/docs/events/${name}.json`,
      { file: `docs/events/${name}.json`, contentType: "application/schema+json" },
    ]),
  ),
};

/** Markdown that is served as pages, by path. */
export const referencePages: Readonly<Record<string, string>> = {
  "/docs/errors": "docs/errors.md",
  "/docs/events": "docs/events.md",
};

/** One page for every error code, as Markdown: <folder>/<code>.md. */
export const errorPagesFolder = "docs/errors";

/** Files and folders that the function needs beside its code, each under the path it has in the project. */
export const referenceBundle: readonly string[] = [
  ...Object.values(referenceFiles).map(({ file }) => file),
  ...Object.values(referencePages),
  errorPagesFolder,
];

/**
 * Everything comes from the service itself. `data:` is for the arrows and locks that the style sheet draws;
 * nothing inline runs, nothing is framed, and the key that is typed in goes nowhere but back to this service.
 */
export const referenceSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
