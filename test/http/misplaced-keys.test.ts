import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { sampleRequest } from "../../lib/reference/sample-request.ts";
import { endpoints } from "../reference/support.ts";
import { type CallOptions, useApi } from "../support/api.ts";
import { scanAll } from "../support/scan-all.ts";
import { github, World } from "../support/world.ts";

/** A caller puts a key where an id or a name belongs: the key is not sent back, not stored and not logged. */

const api = useApi();
const world = new World(() => api.store().table);

let key = "";
let misplaced: readonly string[] = [];
beforeAll(async () => {
  const organization = await world.organization("misplaced");
  await world.member(github("misplaced"), "u-admin", { role: "cr_admin" });
  await world.member(github("misplaced"), "bob");
  key = await world.adminKey(organization);
  const vendors = [
    "ghp_",
    "glpat-",
    "sk-ant-",
    "AKIA",
    "xoxb-",
    "xapp-",
    "dckr_pat_",
    "hvs.",
    "SG.",
    "ya29.",
    "dapi",
    "glsa_",
  ].map((prefix) => prefix + "Q7".repeat(10));
  const legacy = await world.key({ kind: "legacy", organization });
  misplaced = [key, legacy.text, ...vendors];
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The answer as text, headers included. */
async function sent(target: string, options: CallOptions = {}): Promise<string> {
  const { status, headers, body } = await api.call(target, { key, ...options });
  return `${status} ${JSON.stringify(headers)} ${body}`;
}
const foundIn = (text: string) => misplaced.filter((secret) => text.includes(secret));

test("a request id that looks like a key is replaced by the gateway's id", async () => {
  for (const secret of misplaced) {
    const { headers } = await api.call("/v1/whoami", { key, rawHeaders: ["x-request-id", secret] });
    expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  }
  const own = await api.call("/v1/whoami", { key, rawHeaders: ["x-request-id", "build-77_sk-1"] });
  expect(own.headers["x-request-id"]).toBe("build-77_sk-1");
});

describe("a key among the ids of a batch", () => {
  test.each([
    ["seats", "/v1/users/seats", { action: "assign" }],
    ["roles", "/v1/users/roles", { role: "cr_admin" }],
  ])("a key among the ids of %s is in neither the answer nor the audit log", async (_, target, change) => {
    const user_ids = ["bob", ...misplaced, "nobody"];
    const rawHeaders = ["x-request-id", misplaced[0] ?? ""];
    const answer = await sent(target, { body: { user_ids, ...change }, rawHeaders });
    expect(answer).toContain('"succeeded":["bob"]');
    expect(answer).toContain('"user_id":"[REDACTED]"');
    expect(answer).toContain('"user_id":"nobody"');
    expect(foundIn(answer)).toEqual([]);
    expect(foundIn(await sent("/v1/audit-logs"))).toEqual([]);
    const stored = JSON.stringify(await scanAll(api.store().table));
    expect(stored).toContain('"id":"nobody"');
    expect(foundIn(stored)).toEqual([]);
  });
});

test("a message about an unknown name or path does not repeat a key", async () => {
  for (const secret of misplaced) {
    const answers = [
      await sent(`/v1/organizations?${secret}=1`),
      await sent(`/v1/organizations?the-key-is-${secret}=1`),
      await sent("/v1/roles", { body: { name: "Reader", [secret]: 1 } }),
      await sent(`/v1/nowhere/${secret}`),
    ];
    for (const answer of answers) expect(answer).toMatch(/^40[04] .*\[REDACTED\]/);
    expect(answers.flatMap(foundIn)).toEqual([]);
  }
});

test("a role cannot be named like a key", async () => {
  for (const secret of misplaced) {
    const { status, message } = await api.call("/v1/roles", { key, body: { name: `for ${secret}` } });
    expect({ status, message }).toEqual({
      status: 400,
      message: "name: must not contain a key or a token.",
    });
  }
});

/** Every way to put the key in the place of one text of the request's body. */
function* withKeyInside(value: unknown, secret: string): Generator<unknown> {
  if (typeof value === "string") yield secret;
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value))
    for (const changed of withKeyInside(inner, secret))
      yield Array.isArray(value)
        ? value.map((each, index) => (String(index) === name ? changed : each))
        : { ...value, [name]: changed };
}

test("a key in any parameter or field of any operation is not sent back, stored or logged", async () => {
  vi.stubEnv("LOG_LEVEL", "info");
  const lines: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(String(text)) > 0);
  const [, secret = ""] = misplaced;
  const answers: string[] = [];
  for (const endpoint of endpoints) {
    const { method, path, query, body, pathParameters } = sampleRequest(endpoint);
    const options = { method: method.toUpperCase(), ...(isObject(body) && { body }) };
    const inQuery = endpoint.parameters.filter((each) => each.in === "query").map(({ name }) => name);
    for (const name of inQuery)
      answers.push(await sent(`${path}?${new URLSearchParams({ ...query, [name]: secret })}`, options));
    for (const value of Object.values(pathParameters))
      answers.push(await sent(path.replace(encodeURIComponent(value), secret), options));
    const target = `${path}?${new URLSearchParams(query)}`;
    for (const changed of withKeyInside(body, secret))
      if (isObject(changed) && !("description" in changed && changed.description === secret))
        answers.push(await sent(target, { ...options, body: changed }));
  }
  expect(answers.length).toBeGreaterThan(100);
  expect(answers.filter((answer) => answer.includes(secret))).toEqual([]);
  expect(lines.filter((line) => line.includes(secret))).toEqual([]);
  expect(lines.length).toBeGreaterThan(100);
  const stored = (await scanAll(api.store().table)).filter((item) => JSON.stringify(item).includes(secret));
  expect(stored).toEqual([]);
});

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
