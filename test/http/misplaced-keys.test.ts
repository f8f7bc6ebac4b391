import { beforeAll, describe, expect, test } from "vitest";
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
  const vendors = ["ghp_", "glpat-", "sk-ant-", "AKIA", "xoxb-"].map((prefix) => prefix + "Q7".repeat(10));
  misplaced = [key, ...vendors];
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
