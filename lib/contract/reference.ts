import { dashboardFiles, dashboardPath, securityPolicy } from "./dashboard.ts";
import { eventTypeNames } from "./event-names.ts";
import type { Method } from "./operation.ts";

/**
 * The API reference: a first page, the pages of the guide, a page for every operation, error code and job, the events, and the
 * OpenAPI document that they are generated from; also the dashboard. One function serves all of it, to everybody and
 * without a key, both locally and deployed.
 */

/** functions/<source>.ts holds its handler. */
export const referenceSource = "docs";

const route = (path: string) => ({
  source: referenceSource,
  method: "GET" as const satisfies Method,
  path,
  streaming: false,
});

/** The list of all pages for language models (https://llmstxt.org). */
export const llmsPath = "/llms.txt";

export const referenceRoutes = [
  route("/"),
  route("/openapi.json"),
  route(llmsPath),
  route("/docs"),
  route("/docs/{asset}"),
  // A fixed path segment has priority over a parameter, so each of these needs its own route.
  route("/docs/operations/{operation}"),
  route("/docs/errors"),
  route("/docs/errors/{code}"),
  route("/docs/events"),
  route("/docs/events/{schema}"),
  route("/docs/jobs/{job}"),
  route(dashboardPath),
  route(`${dashboardPath}/{asset}`),
];

/** The redirect target of the root path. */
export const referencePath = "/docs";

export type ReferenceFile = {
  /** Relative to the project's root; the function's bundle has the file under the same path. */
  readonly file: string;
  readonly contentType: string;
  /** Its own content security policy; the reference's by default. */
  readonly securityPolicy?: string;
};

export const html = "text/html; charset=utf-8";
export const markdownType = "text/markdown; charset=utf-8";
export const plainType = "text/plain; charset=utf-8";
const script = "text/javascript; charset=utf-8";

/** The pages of the operations are generated from it. */
export const documentFile = "docs/openapi.json";
/** Joined with the document when it is served, printed or packed. */
export const examplesFile = "docs/examples.json";

/** The data of the search dialog: generated like the pages, so it is not a file. */
export const searchPath = "/docs/search.json";

/** Files that are served unchanged, by path. */
export const referenceFiles: Readonly<Record<string, ReferenceFile>> = {
  ...dashboardFiles,
  "/openapi.json": { file: documentFile, contentType: "application/json" },
  "/docs/reference.js": { file: "lib/reference/browser/reference.js", contentType: script },
  "/docs/reference.css": {
    file: "lib/reference/browser/reference.css",
    contentType: "text/css; charset=utf-8",
  },
  ...Object.fromEntries(
    eventTypeNames.map((name) => [
      `/docs/events/${name}.json`,
      { file: `docs/use/events/${name}.json`, contentType: "application/schema+json" },
    ]),
  ),
};

export type ReferencePage = {
  readonly file: string;
  /** The kind that search shows. */
  readonly kind: string;
  /** The section of the menu that lists the page; the first section has no title. */
  readonly menuTitle: string;
};

const subjects = [
  ...["keys", "pagination", "webhooks", "limits", "learnings", "people", "audit-log", "dashboard", "tool"],
  ...["local", "words"],
];

const jobs = [
  "warehouse",
  "weekly-report",
  "people",
  "idle-seats",
  "siem",
  "code-scanning",
  "agents-md",
  "keys",
  "webhooks",
];

/** Markdown that is served as pages, by path. */
export const referencePages: Readonly<Record<string, ReferencePage>> = {
  [referencePath]: { file: "docs/use/start.md", kind: "First steps", menuTitle: "" },
  "/docs/guide": { file: "docs/use/guide.md", kind: "Guide", menuTitle: "" },
  ...Object.fromEntries(
    subjects.map((subject) => [
      `/docs/${subject}`,
      { file: `docs/use/${subject}.md`, kind: "Guide", menuTitle: "Guide" },
    ]),
  ),
  "/docs/mcp": { file: "docs/use/mcp.md", kind: "Assistants", menuTitle: "" },
  "/docs/events": { file: "docs/use/events.md", kind: "Platform events", menuTitle: "" },
  "/docs/schema": { file: "docs/use/schema.md", kind: "Schema", menuTitle: "" },
  "/docs/errors": { file: "docs/use/errors.md", kind: "Error codes", menuTitle: "" },
  ...Object.fromEntries(
    jobs.map((job) => [
      `/docs/jobs/${job}`,
      { file: `docs/use/jobs/${job}.md`, kind: "Job", menuTitle: "By job" },
    ]),
  ),
};

/** One page for every error code, as Markdown: <folder>/<code>.md. */
export const errorPagesFolder = "docs/use/errors";

/** Files and folders that the function needs in addition to its code, each under its path in the project. */
export const referenceBundle: readonly string[] = [
  examplesFile,
  ...Object.values(referenceFiles).map(({ file }) => file),
  ...Object.values(referencePages).map(({ file }) => file),
  errorPagesFolder,
];

/** `data:` is for the empty icon. */
export const referenceSecurityPolicy = securityPolicy("img-src 'self' data:", "trusted-types 'none'");
