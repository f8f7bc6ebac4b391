import type { measuredLearnings } from "./measured-learnings.ts";

export type MeasuredChange = {
  readonly wants: keyof typeof measuredLearnings;
  readonly change: string;
  readonly files?: readonly string[];
};

/**
 * Changes for which a reviewer would want one specific Learning. They were written to look like a diff, without using
 * the words of the Learning.
 */
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
