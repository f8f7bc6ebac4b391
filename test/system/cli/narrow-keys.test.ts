import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { idOfText, madeUpKeyText, makeLegacyKeyText, parseKeyText } from "../../../lib/access/key-text.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { connectLocally } from "../../../lib/operator/local.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { lastReleaseText } from "../../access/last-release-keys.ts";
import { answerTool, callJson, callTool } from "../../cli/support.ts";
import { useService } from "../../support/service.ts";

const service = useService({ demo: true });
const issued = z.object({ id: z.string(), key: z.string() });
const http = (key = service().keys.organization ?? "") => ["--url", service().url, "--key", key];
const operator = () => ["--data", service().folder];
const create = async (...words: readonly string[]) =>
  issued.parse(await callJson("keys", "create", ...words));
type Pair = { readonly first: string; readonly made: string };
const onlyOf = async (key: string) =>
  z
    .object({ key: z.object({ only: z.array(z.string()).nullable(), made_by: z.string().nullable() }) })
    .parse(await callJson("whoami", ...http(key))).key;

describe("keys create", () => {
  test("over HTTP makes a key like one's own; keys list shows what it may do and who made it", async () => {
    const { id, key } = await create("--name", "vendor", "--only", "metrics:read,people:read", ...http());
    const { made_by, only } = await onlyOf(key);
    expect(only).toEqual(["metrics:read", "people:read"]);
    for (const words of [http(), operator()]) {
      const rows = z.object({ keys: z.array(z.looseObject({ id: z.string() })) });
      const { keys } = rows.parse(await callJson("keys", "list", ...words));
      expect(keys.find((row) => row.id === id)).toMatchObject({ only: "metrics:read people:read", made_by });
    }
  });

  test("as the operator makes narrow keys of every kind, and tokens create makes narrow tokens", async () => {
    const member = ["--org", "1001", "--owner", "501", "--only", "learnings:read", ...operator()];
    for (const kind of ["organization", "user"])
      expect((await onlyOf((await create("--kind", kind, ...member)).key)).only).toEqual(["learnings:read"]);
    const words = ["--workspace", "acme", "--as", "501", "--name", "t", "--expires-in-days", "1"];
    const token = await callJson("tokens", "create", ...words, "--only", "audit_logs:read", ...operator());
    expect((await onlyOf(issued.parse(token).key)).only).toEqual(["audit_logs:read"]);
  });

  test.each([
    [
      ["--name", "v", "--only", "metrics:write"],
      /^--only takes values of metrics:read, .*not "metrics:write"\.$/,
    ],
    [["--only", "metrics:read"], /^--name is missing\.$/],
    [
      ["--name", "v", "--kind", "user"],
      /^--url and --kind cannot be used together: .* --kind as the operator\.$/,
    ],
  ])("over HTTP %j is a sentence and exit code 2", async (words, sentence) => {
    const { code, stderr } = await callTool("keys", "create", ...words, ...http());
    expect([code, stderr.split("\n")[0]]).toEqual([2, expect.stringMatching(sentence)]);
  });
});

describe("keys revoke --leaked", () => {
  const leaked = (text: string, ...words: readonly string[]) =>
    answerTool([text], "keys", "revoke", "--leaked", ...words, ...operator());

  test("is the operator's: no key ends another key by its text", async () => {
    const { code, stderr } = await callTool("keys", "revoke", "--leaked", ...http());
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^--url and --leaked cannot be used together/)]);
  });

  test("ends the key with what it made, shows what they did, and names ringing webhooks", async () => {
    const words = ["--kind", "organization", "--org", "1001", "--owner", "501", "--role", "cr_admin"];
    const first = await create(...words, ...operator());
    const made = await create("--name", "made", ...http(first.key));
    const hook = z.object({ id: z.string() });
    const { id } = hook.parse(
      await (
        await fetch(`${service().url}/v1/webhooks`, {
          method: "POST",
          body: JSON.stringify({ url: "http://127.0.0.1:9/", types: ["learnings"] }),
          headers: { "x-service-api-key": made.key, "content-type": "application/json" },
        })
      ).json(),
    );
    const rotated = await callJson("keys", "rotate", first.id, "--grace-seconds", "60", ...http(first.key));
    const next = issued.parse(rotated);
    const { code, stdout, stderr } = await leaked(first.key);
    expect(code).toBe(0);
    expect(stderr).toContain(`Key ${first.id} is revoked, and with it 1 key that it made: ${made.id}.`);
    expect(stderr).toContain(`Webhook ${id} still delivers to http://127.0.0.1:9/`);
    for (const text of ["key.created", "key.rotated", "webhook.created", "key.revoked", made.id])
      expect(stdout + stderr).toContain(text);
    for (const { key } of [first, made, next]) expect((await callTool("whoami", ...http(key))).code).toBe(1);
    const again = await leaked(first.key, "--json");
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { id: first.id, revoked_key_ids: [] }]);
    expect((await leaked(first.key)).stderr).toContain(`Key ${first.id} was revoked before.`);
  });

  const ending = (key: string) => ["keys", "revoke", idOfKey(key), ...http(key)];
  const idOfKey = (key: string) => parseKeyText(key)?.id ?? "";
  test.each([
    ["by themselves", ({ made }: Pair) => callTool(...ending(made))],
    ["with the leaked key", ({ first }: Pair) => callTool(...ending(first))],
    [
      "before a full list dropped them",
      async ({ first, made }: Pair) => {
        await callTool(...ending(made));
        const { table, close } = await connectLocally(service().folder, { create: false });
        const update = kinds.madeKeys.key({ keyId: idOfKey(first) });
        await table.write({ update, change: { set: [["made", []]] } }).finally(close);
      },
    ],
  ])("shows what made keys did that ended %s", async (_, end) => {
    const words = ["--kind", "organization", "--org", "1001", "--owner", "501", "--role", "cr_admin"];
    const first = (await create(...words, ...operator())).key;
    const made = (await create("--name", "made", ...http(first))).key;
    const webhook = ["webhooks", "create", "--to", "http://127.0.0.1:9/", "--types", "learnings"];
    expect(await callTool(...webhook, ...http(made))).toMatchObject({ code: 0 });
    await end({ first, made });
    const report = JSON.parse((await leaked(first, "--json")).stdout);
    expect(report.webhooks).toMatchObject([{ url: "http://127.0.0.1:9/" }]);
    const [webhookId] = report.webhooks.map(({ id }: { id: string }) => id);
    expect(report.entries).toContainEqual(
      expect.objectContaining({
        action: "webhook.created",
        resource_id: webhookId,
        actor: expect.objectContaining({ key_id: idOfKey(made) }),
      }),
    );
  });

  test("revokes a key that has expired, too: only a revoked one stays ended whatever a clock says", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3 * 86_400_000 });
    const words = ["--kind", "user", "--org", "1001", "--owner", "501", "--expires-in-days", "1"];
    const { id, key } = await create(...words, ...operator()).finally(() => vi.useRealTimers());
    expect((await callTool("whoami", ...http(key))).code).toBe(1);
    expect((await leaked(key)).stderr).toContain(`Key ${id} is revoked.`);
    expect((await leaked(key)).stderr).toContain(`Key ${id} was revoked before.`);
  });

  test("names the id of a text that is no value of the key any more, and changes nothing", async () => {
    const first = await create("--kind", "user", "--org", "1001", "--owner", "501", ...operator());
    const rotate = ["keys", "rotate", first.id, "--grace-seconds", "0"];
    await callJson(...rotate, ...operator());
    const { key } = issued.parse(await callJson(...rotate, ...operator()));
    const { code, stderr } = await leaked(first.key);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`revoke it by its id: keys revoke ${first.id}`),
    ]);
    expect((await callTool("whoami", ...http(key))).code).toBe(0);
  });

  test("names the command for a workspace token that it does not know, which keys revoke refuses", async () => {
    const text = madeUpKeyText({ kind: "workspace", workspaceId: "acme" }, systemRandom);
    const id = parseKeyText(text)?.id ?? "";
    const { stderr } = await leaked(text);
    expect(stderr).toMatch(
      new RegExp(`Nothing was changed\\. The text names key ${id}\\. .*: tokens delete ${id} --workspace `),
    );
  });

  test("names no id for an unknown text without one, but that of a key whose first value the text is", async () => {
    const unknown = [
      makeLegacyKeyText(systemRandom),
      lastReleaseText(madeUpKeyText({ kind: "workspace", workspaceId: "acme" }, systemRandom)),
    ];
    for (const [index, text] of unknown.entries()) {
      const { code, stderr } = await leaked(text);
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining("Nothing was changed. The text names no id"),
      ]);
      expect(stderr).toContain(index === 0 ? "keys list" : "tokens list");
      expect(stderr).not.toContain(idOfText(text));
    }
    const first = await create("--kind", "user", "--org", "1001", "--owner", "501", ...operator());
    const text = lastReleaseText(first.key);
    const id = idOfText(text);
    const { table, close } = await connectLocally(service().folder, { create: false });
    onTestFinished(close);
    const item = await table.get(kinds.apiKey.key({ keyId: first.id }));
    // It was made by the last release, and has been rotated twice.
    await table.write({ put: { ...item, ...kinds.apiKey.key({ keyId: id }), id } });
    expect((await leaked(text)).stderr).toContain(
      `The text is the first value of key ${id}. If somebody may have a value of that key, revoke it by its id: keys revoke ${id}.`,
    );
  });

  test("takes a key of any kind, and changes nothing for a text that is no key", async () => {
    for (const kind of ["legacy", "agentic", "workspace"] as const) {
      const { code, stderr } = await leaked(service().keys[kind] ?? "");
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^Key k\w+ is revoked/)]);
    }
    expect(await leaked("rk_nonsense")).toMatchObject({
      code: 1,
      stderr: "This is not the text of a key. Nothing was changed.",
    });
    expect((await callTool("keys", "revoke", "k1", "--leaked", ...operator())).code).toBe(2);
    expect((await callTool("keys", "revoke", ...operator())).stderr).toMatch(/^KEY_ID is missing\./);
  });
});
