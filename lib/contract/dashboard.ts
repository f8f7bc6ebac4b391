/** The dashboard: a page, its scripts and its style. They are built from `dashboard/` and served unchanged. */
export const dashboardPath = "/dashboard";

/** Relative to the project's root; `npm install` builds it. */
export const dashboardBuiltFolder = "dashboard/built";

/**
 * Everything is loaded from the service itself, and a key that is typed in is sent only there. Inline scripts and styles
 * do not run, text never becomes script, and nothing is framed.
 */
export const securityPolicy = (...more: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    ...more,
  ].join("; ");

/** `dashboard` is the page's only trusted-types policy, for the URL of its worker. */
export const dashboardSecurityPolicy = securityPolicy(
  "worker-src 'self'",
  "img-src 'self'",
  "trusted-types dashboard",
);

const file = (name: string, contentType: string) => ({
  file: `${dashboardBuiltFolder}/${name}`,
  contentType,
  securityPolicy: dashboardSecurityPolicy,
});
const script = "text/javascript; charset=utf-8";

/** Indexed by the path that serves the file. */
export const dashboardFiles = {
  [dashboardPath]: file("index.html", "text/html; charset=utf-8"),
  [`${dashboardPath}/page.js`]: file("page.js", script),
  [`${dashboardPath}/worker.js`]: file("worker.js", script),
  [`${dashboardPath}/page.css`]: file("page.css", "text/css; charset=utf-8"),
  [`${dashboardPath}/icon.svg`]: file("icon.svg", "image/svg+xml"),
};
