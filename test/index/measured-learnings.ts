type MeasuredLearning = { readonly text: string; readonly file?: string };

/** Learnings of one imagined repository. */
export const measuredLearnings: Readonly<Record<string, MeasuredLearning>> = {
  money: {
    text: "Amounts of money are integers in the smallest currency unit. Never use floating point for prices or totals.",
  },
  clock: {
    text: "Do not call Date.now() or new Date() in domain code; take the clock as an argument so tests can move time.",
  },
  migrations: {
    text: "A database migration must be safe to run while the previous release still serves traffic: add columns as nullable, backfill, then enforce.",
    file: "db/migrations/README.md",
  },
  logs: {
    text: "Use the structured logger, not console.log. Log ids and counts, never e-mail addresses or request bodies.",
  },
  retries: {
    text: "Retry HTTP calls to payment providers only with an idempotency key; otherwise a customer may be charged twice.",
    file: "src/payments/provider.ts",
  },
  pagination: {
    text: "List endpoints page with an opaque cursor. Offset and page number parameters skip or repeat rows under concurrent inserts.",
  },
  secrets: {
    text: "Secrets come from the secret manager at start-up. Do not read them from environment files that are checked in.",
  },
  featureFlags: {
    text: "Every feature flag needs an owner and a removal date in flags.yaml; stale flags fail the build.",
    file: "config/flags.yaml",
  },
  css: {
    text: "Colours and spacing come from the design tokens. Hard-coded hex colours and pixel margins are not accepted.",
  },
  accessibility: {
    text: "Interactive elements are buttons or links, not div with onClick; icons without text need an aria-label.",
  },
  sqlInjection: {
    text: "Build SQL with bound parameters. String interpolation into a query is refused even for values we control.",
  },
  transactions: {
    text: "Keep database transactions short: no network call, no e-mail sending while a transaction is open.",
  },
  timeouts: {
    text: "Every outgoing request has a timeout and an AbortSignal; fetch without one can hang a worker for minutes.",
  },
  nullability: {
    text: "Prefer an explicit Optional return to returning null from repository classes; callers forget the check.",
  },
  kafka: {
    text: "Kafka consumers must be idempotent: the same message is delivered again after a rebalance.",
    file: "services/consumer/handler.go",
  },
  goErrors: {
    text: "Wrap errors with fmt.Errorf and %w so that errors.Is keeps working up the stack.",
  },
  goContext: {
    text: "Pass context.Context as the first parameter and never store it inside a struct.",
  },
  pythonTypes: {
    text: "Public Python functions carry type hints; mypy runs in strict mode on the package.",
  },
  mutableDefaults: {
    text: "A mutable default argument such as a list or dict in Python is shared between calls; default to None.",
  },
  reactKeys: {
    text: "Do not use the array index as React key in lists that can be reordered or filtered.",
  },
  reactEffects: {
    text: "useEffect that subscribes must return a cleanup; missing unsubscribe leaked sockets in the dashboard.",
  },
  i18n: {
    text: "User visible text goes through the translation function t(); no literal sentences in components.",
  },
  docker: {
    text: "Docker images run as a non-root user and pin the base image by digest.",
    file: "Dockerfile",
  },
  terraform: {
    text: "Terraform state lives in the shared bucket; resources that hold data set prevent_destroy.",
    file: "infra/main.tf",
  },
  kubernetes: {
    text: "Every Kubernetes deployment sets memory and CPU limits and a readiness probe.",
  },
  caching: {
    text: "Cache keys contain the tenant id. A key without it once showed one customer's report to another.",
  },
  authorization: {
    text: "Check permissions in the service layer, not only in the route middleware: background jobs call services directly.",
  },
  passwords: {
    text: "Passwords are hashed with argon2id through the shared helper; bcrypt and sha256 are not acceptable any more.",
  },
  cookies: {
    text: "Session cookies are HttpOnly, Secure and SameSite=Lax.",
  },
  csv: {
    text: "Escape cells that begin with =, + or @ when writing CSV exports, spreadsheets run them as formulas.",
  },
  regex: {
    text: "Regular expressions on user input must be linear; nested quantifiers took the search page down.",
  },
  imports: {
    text: "No barrel files: import from the module itself, re-exporting index.ts files made cyclic imports.",
  },
  naming: {
    text: "Boolean names start with is, has or can; avoid negated flags such as notReady.",
  },
  tests: {
    text: "Unit tests may not sleep. Use the fake timer; waiting for real seconds makes the suite flaky.",
  },
  snapshot: {
    text: "Snapshot tests of whole pages are discouraged, assert on the roles and names a user sees.",
  },
  fixtures: {
    text: "Test fixtures use example.com addresses and generated names, never data copied from production customers.",
  },
  deprecation: {
    text: "A public endpoint is deprecated with a Sunset header for six months before it is removed.",
  },
  openapi: {
    text: "When a route changes, openapi.yaml changes in the same pull request; the client is generated from it.",
    file: "api/openapi.yaml",
  },
  graphql: {
    text: "GraphQL resolvers batch through DataLoader, a resolver that queries per item causes N+1 queries.",
  },
  uploads: {
    text: "Validate uploaded files by content, not by extension, and stream them to storage instead of buffering in memory.",
  },
  rateLimits: {
    text: "Endpoints without authentication need a rate limit per IP address.",
  },
  webhooks: {
    text: "Verify the signature of incoming webhooks before parsing the body.",
    file: "src/webhooks/receive.ts",
  },
  swiftMain: {
    text: "UI updates in Swift happen on the main actor; dispatching from a background queue crashed the app.",
  },
  kotlinScope: {
    text: "Launch coroutines in a structured scope, GlobalScope leaks work after the activity is destroyed.",
  },
  rustUnwrap: {
    text: "unwrap() and expect() are for tests only; propagate errors with the question mark operator in library code.",
  },
  cppOwnership: {
    text: "Raw owning pointers are forbidden; use unique_ptr, and shared_ptr only where ownership is really shared.",
  },
  shell: {
    text: "Shell scripts begin with set -euo pipefail and quote every variable.",
    file: "scripts/deploy.sh",
  },
  github: {
    text: "GitHub Actions are pinned to a commit hash and get read-only permissions unless a job needs more.",
    file: ".github/workflows/ci.yml",
  },
  timezone: {
    text: "Store timestamps in UTC and convert to the user's time zone only when rendering.",
  },
  indexes: {
    text: "A new foreign key needs an index; missing ones made deletes on the orders table scan everything.",
  },
};
