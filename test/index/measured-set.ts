type MeasuredLearning = { readonly text: string; readonly file?: string };

/**
 * Learnings of one imagined repository, and changes for which a reviewer would want one specific Learning.
 * The changes were written to look like a diff, without using the words of the Learning.
 */
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

export type MeasuredChange = {
  readonly wants: keyof typeof measuredLearnings;
  readonly change: string;
  readonly files?: readonly string[];
};

export const measuredChanges: readonly MeasuredChange[] = [
  {
    wants: "money",
    files: ["src/cart/total.ts"],
    change:
      "+ const total: number = items.reduce((sum, item) => sum + item.price * 1.19, 0.0); // price in floating euros",
  },
  {
    wants: "clock",
    files: ["src/domain/invoice.ts"],
    change: "+   dueDate = new Date(Date.now() + 14 * 86400 * 1000)",
  },
  {
    wants: "migrations",
    files: ["db/migrations/0042_add_region.sql"],
    change: "+ ALTER TABLE customers ADD COLUMN region text NOT NULL;",
  },
  {
    wants: "logs",
    files: ["src/users/register.ts"],
    change: '+ console.log("registered", user.email, req.body);',
  },
  {
    wants: "retries",
    files: ["src/payments/provider.ts"],
    change: "+ for (let attempt = 0; attempt < 3; attempt++) { await http.post('/charges', payload) }",
  },
  {
    wants: "pagination",
    files: ["src/routes/orders.ts"],
    change:
      "+ const page = Number(req.query.page); const rows = await db.orders.list({ offset: page * 50, limit: 50 });",
  },
  {
    wants: "secrets",
    files: [".env.production", "src/config.ts"],
    change: "+ dotenv.config({ path: '.env.production' }); const apiSecret = process.env.API_SECRET;",
  },
  { wants: "featureFlags", files: ["config/flags.yaml"], change: "+ new_checkout_flag:\n+   default: false" },
  { wants: "css", files: ["web/button.css"], change: "+ .primary { color: #ff8800; margin: 13px; }" },
  {
    wants: "accessibility",
    files: ["web/Menu.tsx"],
    change: '+ <div className="item" onClick={open}><TrashIcon /></div>',
  },
  {
    wants: "sqlInjection",
    files: ["src/report/query.ts"],
    change: `+ await db.query(\`SELECT * FROM reports WHERE owner = '\${owner}'\`);`,
  },
  {
    wants: "transactions",
    files: ["src/orders/place.ts"],
    change:
      "+ await db.transaction(async (tx) => { await tx.insert(order); await mailer.send(confirmation); });",
  },
  {
    wants: "timeouts",
    files: ["src/geo/lookup.ts"],
    change: `+ const response = await fetch(\`https://geo.internal/lookup/\${ip}\`);`,
  },
  {
    wants: "nullability",
    files: ["src/main/java/UserRepository.java"],
    change: "+ public User findByName(String name) { if (rows.isEmpty()) return null; return rows.get(0); }",
  },
  {
    wants: "kafka",
    files: ["services/consumer/handler.go"],
    change: "+ func (h *Handler) Consume(msg *kafka.Message) error { return h.db.Insert(msg.Value) }",
  },
  {
    wants: "goErrors",
    files: ["services/api/store.go"],
    change: '+ if err != nil { return fmt.Errorf("load user: %v", err) }',
  },
  {
    wants: "goContext",
    files: ["services/api/client.go"],
    change: "+ type Client struct { ctx context.Context; base string }",
  },
  {
    wants: "pythonTypes",
    files: ["package/pricing.py"],
    change:
      "+ def discount(customer, basket):\n+     return basket.total * customer.rate  # public function, no hints",
  },
  {
    wants: "mutableDefaults",
    files: ["package/cart.py"],
    change: "+ def add(item, items=[]):  # default list argument\n+     items.append(item)",
  },
  {
    wants: "reactKeys",
    files: ["web/TodoList.tsx"],
    change: "+ {todos.map((todo, index) => <Todo key={index} {...todo} />)}",
  },
  {
    wants: "reactEffects",
    files: ["web/Dashboard.tsx"],
    change: "+ useEffect(() => { socket.subscribe('prices', setPrices); }, []);",
  },
  {
    wants: "i18n",
    files: ["web/Welcome.tsx"],
    change: "+ <p>Welcome back, your text was saved and translated.</p>",
  },
  { wants: "docker", files: ["Dockerfile"], change: "+ FROM node:latest\n+ USER root" },
  {
    wants: "terraform",
    files: ["infra/main.tf"],
    change: '+ resource "aws_s3_bucket" "exports" { bucket = "exports" }',
  },
  {
    wants: "kubernetes",
    files: ["deploy/api.yaml"],
    change:
      "+ kind: Deployment\n+ containers:\n+  - name: api\n+    image: api:1.4\n+    # no resources limits, no probe",
  },
  {
    wants: "caching",
    files: ["src/reports/cache.ts"],
    change: `+ const cacheKey = \`report:\${reportId}\`; await redis.set(cacheKey, html);`,
  },
  {
    wants: "authorization",
    files: ["src/jobs/cleanup.ts"],
    change:
      "+ router.delete('/projects/:id', requirePermission('delete'), (req) => projectService.remove(req.params.id));",
  },
  {
    wants: "passwords",
    files: ["src/users/password.ts"],
    change: "+ const hash = createHash('sha256').update(password).digest('hex');",
  },
  {
    wants: "cookies",
    files: ["src/session.ts"],
    change: "+ res.cookie('session', token, { secure: false });",
  },
  {
    wants: "csv",
    files: ["src/export/csv.ts"],
    change: "+ rows.map((cells) => cells.join(',')).join('\\n') // csv export for spreadsheets",
  },
  {
    wants: "regex",
    files: ["src/search/parse.ts"],
    change:
      "+ const pattern = /^(\\w+\\s?)*$/; if (pattern.test(userInput)) { // regular expression over the search input",
  },
  {
    wants: "imports",
    files: ["src/cart/index.ts"],
    change: "+ export * from './cart.ts';\n+ export * from './total.ts';",
  },
  {
    wants: "naming",
    files: ["src/orders/state.ts"],
    change: "+ const notShipped: boolean = !order.shippedAt;",
  },
  {
    wants: "tests",
    files: ["test/queue.test.ts"],
    change: "+ await sleep(3000); // wait for the timer\n+ expect(queue.length).toBe(0);",
  },
  {
    wants: "snapshot",
    files: ["test/pages/home.test.tsx"],
    change: "+ expect(render(<HomePage />)).toMatchSnapshot();",
  },
  {
    wants: "fixtures",
    files: ["test/fixtures/customers.json"],
    change: '+ { "name": "Petra Hofmann", "email": "p.hofmann@gmx.de", "note": "copied from production" }',
  },
  {
    wants: "deprecation",
    files: ["src/routes/v1.ts"],
    change: "- router.get('/v1/legacy-report', legacyReport); // endpoint removed",
  },
  {
    wants: "openapi",
    files: ["src/routes/users.ts"],
    change: "+ router.get('/users/:id/avatar', avatar); // new route, generated client does not know it",
  },
  {
    wants: "graphql",
    files: ["src/graphql/resolvers/order.ts"],
    change: "+ Order: { customer: (order) => db.customers.findById(order.customerId) } // resolver",
  },
  {
    wants: "uploads",
    files: ["src/files/upload.ts"],
    change:
      "+ if (!file.name.endsWith('.pdf')) throw new Error('wrong extension'); const buffer = await file.arrayBuffer();",
  },
  {
    wants: "rateLimits",
    files: ["src/routes/public.ts"],
    change: "+ app.post('/newsletter', subscribe); // no authentication needed on this endpoint",
  },
  {
    wants: "webhooks",
    files: ["src/webhooks/receive.ts"],
    change: "+ const event = JSON.parse(req.body); handle(event);",
  },
  {
    wants: "swiftMain",
    files: ["ios/ProfileView.swift"],
    change: "+ DispatchQueue.global(qos: .background).async { self.label.text = name }",
  },
  {
    wants: "kotlinScope",
    files: ["android/MainActivity.kt"],
    change: "+ GlobalScope.launch { repository.refresh() }",
  },
  {
    wants: "rustUnwrap",
    files: ["crates/parser/src/lib.rs"],
    change: "+ let value = map.get(key).unwrap();",
  },
  {
    wants: "cppOwnership",
    files: ["engine/scene.cpp"],
    change: "+ Node* node = new Node(); children.push_back(node); // raw pointer",
  },
  { wants: "shell", files: ["scripts/deploy.sh"], change: "+ #!/bin/bash\n+ rm -rf $TARGET/*" },
  {
    wants: "github",
    files: [".github/workflows/ci.yml"],
    change: "+ - uses: actions/checkout@v4\n+ permissions: write-all",
  },
  {
    wants: "timezone",
    files: ["src/calendar/save.ts"],
    change: "+ row.starts_at = moment(input).tz('Europe/Berlin').format(); // stored timestamp",
  },
  {
    wants: "indexes",
    files: ["db/migrations/0043_items.sql"],
    change: "+ ALTER TABLE order_items ADD CONSTRAINT fk FOREIGN KEY (order_id) REFERENCES orders(id);",
  },
];
