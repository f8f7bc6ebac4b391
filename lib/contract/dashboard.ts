/** The dashboard: a page, its scripts and its style. They are built from `dashboard/` and served unchanged. */
export const dashboardPath = "/dashboard";

/** Relative to the project's root; `npm install` builds it. */
export const dashboardBuiltFolder = "dashboard/built";

/**
 * Everything is loaded from the service itself and sent nowhere else. Inline scripts and styles do not run, and text
 * never becomes script: `dashboard` is the page's only trusted-types policy, for the URL of its worker.
 */
export const dashboardSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types dashboard",
].join("; ");

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
