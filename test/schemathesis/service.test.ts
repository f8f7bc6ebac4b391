import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { keyKinds } from "../../lib/contract/access.ts";
import { type ListedOperation, type OperationId, operations } from "../../lib/contract/operations.ts";
import { dependencies } from "../../lib/http/dependencies.ts";
import { nameServers } from "../../lib/webhooks/addresses.ts";
import { pythonTool } from "../support/python-environment.ts";
import { useService } from "../support/service.ts";
import { type Exchange, readExchanges } from "./exchanges.ts";
import { isWanted } from "./wanted.ts";

const isLong = process.env.LONG === "1";
const requestsMin = 50;
const examplesPerOperation = isLong ? 1000 : 55;
/** Most operations already have thirty from their bounds. */
const firstExamples = isLong ? 1000 : 20;
/** Chains of requests in all, each with several steps. */
const chains = isLong ? 1000 : 20;

const service = useService({ demo: true });
let folder: string;
let exchanges: readonly Exchange[];
const started: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "schemathesis-"));
  takeTheLimitersPlace();
  // Webhooks may name any host: no name leads away from this machine.
  nameServers.addressesOf = async () => ["127.0.0.1"];
  exchanges = await attackAll();
}, 3_600_000);
afterAll(async () => {
  // Where one of two failed, the other would go on.
  for (const child of started) child.kill();
  await rm(folder, { recursive: true });
});

/** A 429 says nothing about a request. The windows themselves have tests of their own: test/access/rate-limiter.test.ts. */
function takeTheLimitersPlace(): void {
  const { limiter } = dependencies();
  Object.assign(limiter, {
    refuseKnownFull: () => undefined,
    admit: async (_table, limit) => ({ limit, remaining: limit.requestsMax, resetSeconds: 1 }),
  } satisfies typeof limiter);
}

function organizationKey(): string {
  const { organization } = service().keys;
  if (!organization) throw new Error("The demo made no key of an organization.");
  return organization;
}

const made = z.looseObject({ id: z.string() });
async function make(path: string, key: string, body: object): Promise<z.output<typeof made>> {
  const response = await fetch(`${service().url}${path}`, {
    method: "POST",
    headers: { "x-service-api-key": key, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return made.parse(await response.json());
}

async function read(path: string, key: string): Promise<unknown> {
  const response = await fetch(`${service().url}${path}`, { headers: { "x-service-api-key": key } });
  return await response.json();
}

/** What other requests need is not deleted; records that the run makes are. */
const deletedRole = "deleted-role";
type KnownValues = Readonly<Record<string, readonly string[]>>;
/** Values that exist, for parameters by their name. Without them nearly every valid request is a 404. */
async function knownValues(key: string): Promise<KnownValues> {
  const learnings = z
    .object({ data: z.array(z.object({ id: z.string(), organization_id: z.string() })) })
    .parse(await read("/v1/learnings?limit=20", key)).data;
  const { organizations } = z
    .object({ organizations: z.array(z.object({ id: z.string() })) })
    .parse(await read("/v1/organizations", key));
  const role = await make("/v1/roles", key, { name: "known" });
  const roleToDelete = await make("/v1/roles", key, { name: "to delete" });
  const url = "https://localhost:1/";
  const webhook = await make("/v1/webhooks", key, { url, types: ["learnings"] });
  const days = ["2020-01-01", "2040-12-31"];
  return {
    "path.learning_id": learnings.map(({ id }) => id),
    "path.organization_id": organizations.map(({ id }) => id),
    "path.role_id": [role.id, "cr_member"],
    [deletedRole]: [roleToDelete.id],
    "path.webhook_id": [webhook.id],
    "query.org_id": [...new Set(learnings.map(({ organization_id: id }) => id))],
    "body.url": [url],
    "body.org_id": [...new Set(learnings.map(({ organization_id: id }) => id))],
    "query.start_date": days,
    "query.end_date": days,
  };
}

/**
 * Operations that can be invalid in few ways. The bounds of Schemathesis are then few, and most of what it draws for
 * such an operation is valid again, however long it draws.
 */
const fewerInvalid: Readonly<Partial<Record<OperationId, number>>> = {
  // They take nothing, or only `org_id`, which most kinds of key ignore.
  whoami: 2,
  listPermissions: 2,
  listWebhooks: 2,
  getSeatAssignment: 2,
  // They take one id in the path, and some of them `org_id`.
  getLearning: 7,
  deleteLearning: 5,
  deleteRole: 7,
  deleteKey: 7,
  getWebhook: 7,
  deleteWebhook: 7,
  // They take `limit` and `cursor`, or an id and a body of one field.
  listOrganizations: 25,
  listRepositories: 25,
  listTeams: 20,
  listRoles: 25,
  listKeys: 20,
  listWebhookDeliveries: 25,
  rotateWebhook: 20,
  testWebhook: 20,
  rotateKey: 35,
};
const leastOf = ({ id }: ListedOperation, isValid: boolean): number =>
  isValid ? requestsMin : (fewerInvalid[id] ?? requestsMin);

type Attack = {
  readonly mode: "positive" | "negative";
  readonly phases: string;
  readonly seed: number;
  readonly examples?: number;
  readonly only?: readonly ListedOperation[];
};
/** Schemathesis draws other requests with another seed. */
const seedsOfMore = [2, 3, 4];

/** First the bounds of every field, then random requests, then more of them where there were too few. */
async function attackAll(): Promise<readonly Exchange[]> {
  const values = await knownValues(organizationKey());
  const all: Exchange[] = [];
  const attackTogether = async (...attacks: readonly Attack[]) => {
    const attacked = await Promise.all(attacks.map((each) => attack(each, values)));
    all.push(...attacked.flat());
  };
  await attackTogether(
    { mode: "positive", phases: "coverage", seed: 1 },
    { mode: "negative", phases: "coverage", seed: 1 },
  );
  const few = (isValid: boolean) =>
    operations.filter((each) => isLong || answeredOf(all, each, isValid) < requestsMin);
  await attackTogether(
    { mode: "positive", phases: "fuzzing", seed: 1, examples: firstExamples, only: few(true) },
    { mode: "positive", phases: "stateful", seed: 1, examples: chains },
    { mode: "negative", phases: "fuzzing", seed: 1, examples: firstExamples, only: few(false) },
  );
  for (const seed of seedsOfMore) {
    const lacking = (isValid: boolean) =>
      operations.filter((each) => answeredOf(all, each, isValid) < leastOf(each, isValid));
    await attackTogether(
      { mode: "positive", phases: "fuzzing", seed, only: lacking(true) },
      { mode: "negative", phases: "fuzzing", seed, only: lacking(false) },
    );
  }
  return all;
}

/** How many valid or invalid requests were answered, other than for a key or a limit. */
const answeredOf = (all: readonly Exchange[], { method, path }: ListedOperation, isValid: boolean): number =>
  all.filter(
    (exchange) =>
      exchange.operation === `${method} ${path}` &&
      exchange.isValid === isValid &&
      exchange.status !== 401 &&
      exchange.status !== 429,
  ).length;

async function attack(
  { mode, phases, seed, examples = examplesPerOperation, only }: Attack,
  values: KnownValues,
): Promise<Exchange[]> {
  if (only?.length === 0) return [];
  const bin = await pythonTool("schemathesis");
  const { url, keys } = service();
  const first = organizationKey();
  const ids = await Promise.all(Object.values(keys).map((key) => read("/v1/whoami", key)));
  const rotateKey = await make("/v1/keys", first, { name: "to rotate" });
  const run = {
    first,
    // The key of an organization may call most operations, so it takes every second turn.
    inTurn: keyKinds.flatMap((kind) => [first, keys[kind] ?? first]),
    kept: [...ids.map((each) => z.object({ key: made }).parse(each).key.id), rotateKey.id],
    rotateKey,
    deleteKey: await make("/v1/keys", first, { name: "to end" }),
  };
  const fileOf = (name: string) => join(folder, `${mode}-${phases}-${seed}-${name}`);
  await writeFile(fileOf("keys.json"), JSON.stringify(run));
  await writeFile(fileOf("schemathesis.toml"), settings(mode === "positive" ? values : {}));
  const report = fileOf("report.ndjson");
  const words = [
    ...["--config-file", fileOf("schemathesis.toml"), "run", `${url}/openapi.json`, "--no-color"],
    ...["--phases", phases, ...(only ?? []).flatMap(({ id }) => ["--include-operation-id", id])],
    ...["--mode", mode, "--max-examples", String(examples), "--seed", String(seed)],
    ...["--report", "ndjson", "--report-ndjson-path", report],
  ];
  const child = spawn(join(bin, "python"), [join(bin, "schemathesis"), ...words], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, KEYS_OF_THE_RUN: fileOf("keys.json") },
  });
  started.push(child);
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  // 1: it reported something, which is judged here.
  if (code !== 0 && code !== 1) throw new Error(`Schemathesis failed:\n${printed.slice(-4000)}`);
  return await readExchanges(report);
}

/** Everything is checked and reported; nothing is remembered between runs. */
const settings = (values: KnownValues): string => `
continue-on-failure = true
hooks = "${join(import.meta.dirname, "keys.py")}"
suppress-health-check = ["all"]
[auth.openapi.key]
api_key = "${organizationKey()}"
[output.sanitization]
enabled = false
[cache]
enabled = false
[generation]
with-security-parameters = false
no-shrink = true
database = "none"
[phases.examples]
enabled = false
[phases.fuzzing.error-feedback]
enabled = false
[phases.coverage]
unexpected-methods = ["PUT", "OPTIONS"]
[checks.positive_data_acceptance]
expected-statuses = ["2xx", 401, 402, 403, 404, 409, 410, "5xx"]
[checks.negative_data_rejection]
expected-statuses = ["4xx", "5xx"]
${Object.keys(values).length > 0 ? parametersOf(values) : ""}`;

const parametersOf = (values: KnownValues): string => `
[[operations]]
exclude-method = "DELETE"
[operations.parameters]
${Object.keys(values)
  .filter((name) => name !== deletedRole)
  .map((name) => `"${name}" = { dictionary = "${name.replace(".", "-")}", probability = 0.5 }`)
  .join("\n")}
[[operations]]
include-operation-id = "deleteRole"
[operations.parameters]
"path.role_id" = { dictionary = "${deletedRole}", probability = 0.5 }
${Object.entries(values)
  .map(([name, each]) => `[dictionaries.${name.replace(".", "-")}]\nvalues = ${JSON.stringify(each)}`)
  .join("\n")}
`;

test("no answer breaks the document, and no request is judged against it, but where the interface wants it", () => {
  const found = exchanges.flatMap((exchange) =>
    exchange.failures
      .filter((failure) => !isWanted(exchange, failure))
      .map(
        ({ check, message }) =>
          `${exchange.operation} (${exchange.keyKind} key) ${check}: ${message} Answer ${exchange.status} ${exchange.body.slice(0, 300)} to ${exchange.request.slice(0, 600)}`,
      ),
  );
  expect(found).toEqual([]);
});

test("nothing answers 5xx", () => {
  expect(exchanges.filter(({ status }) => status >= 500)).toEqual([]);
});

test("every operation has answered enough valid and enough invalid requests", () => {
  const tooFew = operations.flatMap((each) =>
    [true, false].flatMap((isValid) => {
      const answered = answeredOf(exchanges, each, isValid);
      return answered < leastOf(each, isValid) ? [{ id: each.id, isValid, answered }] : [];
    }),
  );
  expect(tooFew).toEqual([]);
});

test("every operation has succeeded, and every kind of key was used", () => {
  const succeeded = new Set(exchanges.filter(({ status }) => status < 300).map(({ operation }) => operation));
  const never = operations.filter(({ method, path }) => !succeeded.has(`${method} ${path}`));
  expect(never.map(({ id }) => id)).toEqual([]);
  expect(exchanges.map(({ keyKind }) => keyKind)).toEqual(expect.arrayContaining([...keyKinds]));
});
