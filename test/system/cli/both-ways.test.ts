import { describe, expect, test } from "vitest";
import * as z from "zod";
import { callJson, callTool } from "../../cli/support.ts";
import { useService } from "../../support/service.ts";

const service = useService({ demo: true });
const keyRows = z.object({
  keys: z.array(z.looseObject({ id: z.string(), kind: z.string(), state: z.string() })),
});
const issued = z.object({ id: z.string(), key: z.string() });

/** Every command is written once: what holds over HTTP holds for the operator. */
const everyWay = ["over HTTP", "as the operator"] as const;
type Way = (typeof everyWay)[number];
const wordsOf = (way: Way) =>
  way === "over HTTP"
    ? ["--url", service().url, "--key", service().keys.workspace ?? ""]
    : ["--data", service().folder];
const json = (way: Way, ...words: readonly string[]) => callJson(...words, ...wordsOf(way));
const tool = (way: Way, ...words: readonly string[]) => callTool(...words, ...wordsOf(way));

const newKey = async (...words: readonly string[]) =>
  issued.parse(await json("as the operator", "keys", "create", "--org", "1001", ...words));
const organizationKey = () => newKey("--kind", "organization", "--owner", "501", "--role", "cr_admin");

describe.each(everyWay)("keys, %s", (way) => {
  const listed = async (...words: readonly string[]) =>
    keyRows.parse(await json(way, "keys", "list", ...words)).keys;
  const stateOf = async (wanted: string) => (await listed()).find(({ id }) => id === wanted)?.state;

  test("a key is rotated and revoked, and the list shows it", async () => {
    const { id, key } = await organizationKey();
    const next = await tool(way, "keys", "rotate", id, "--grace-seconds", "600");
    expect([next.code, next.stderr]).toEqual([0, expect.stringMatching(/^This organization key .* once\.$/)]);
    const me = z.object({ key: z.object({ id: z.string() }) });
    const { key: successor } = me.parse(
      await callJson("whoami", "--url", service().url, "--key", next.stdout),
    );
    expect([await stateOf(id), await stateOf(successor.id)]).toEqual(["active", "active"]);
    expect(await json(way, "keys", "revoke", successor.id)).toMatchObject({
      id: successor.id,
      revoked: true,
    });
    expect([await stateOf(id), await stateOf(successor.id)]).toEqual(["revoked", "revoked"]);
    expect((await tool(way, "keys", "list", "--format", "csv")).stdout).not.toContain(key);
  });

  test("a rotated key is not rotated again, an unknown key is neither rotated nor revoked", async () => {
    const { id } = await organizationKey();
    await json(way, "keys", "rotate", id, "--grace-seconds", "0");
    const again = await tool(way, "keys", "rotate", id, "--grace-seconds", "0");
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("was rotated already")]);
    for (const words of [["revoke"], ["rotate", "--grace-seconds", "0"]])
      expect(await tool(way, "keys", ...words, "k404")).toMatchObject({ code: 1, stdout: "" });
  });

  test("an organization that does not exist is one sentence and exit code 1", async () => {
    const { code, stdout, stderr } = await tool(way, "keys", "list", "--org", "9999");
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(/o(?:rganization|rg_id)/)]);
  });
});

test("both ways list the same columns, and of one organization the same keys", async () => {
  await newKey("--kind", "user", "--owner", "502", "--name", "laptop", "--expires-in-days", "90");
  const shown = await Promise.all(
    everyWay.map(async (way) => (await tool(way, "keys", "list", "--org", "1001", "--format", "csv")).stdout),
  );
  expect(shown[0]).toMatch(/^id,kind,name,bound_to,owner,role,state,created_at,expires_at,last_used_at,/);
  // The use of the key that lists is recorded meanwhile; this key is none of the organization.
  expect(shown[1]).toBe(shown[0]);
});

test("the operator also sees the workspace or the instance of a key, beside its organizations", async () => {
  const words = ["--instance", "north", "--home", "7001", "--orgs", "7001,7002", "--owner", "701"];
  await json("as the operator", "keys", "create", "--kind", "instance", ...words);
  const { keys } = keyRows.parse(await json("as the operator", "keys", "list"));
  expect(keys.map(({ kind, bound_to }) => `${kind} ${bound_to}`)).toEqual(
    expect.arrayContaining(["workspace acme", "organization 1001", "instance north: 7001, 7002"]),
  );
});

test("the operator gives a grace of more than a day, also to a user key; a key gives neither", async () => {
  const twoDays = ["--grace-seconds", "172800"];
  const mine = await newKey("--kind", "user", "--owner", "502");
  const refused = await tool("over HTTP", "keys", "rotate", mine.id, ...twoDays);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining("grace_seconds: must be a whole number from 0 to 86400."),
  ]);
  const others = await tool("over HTTP", "keys", "rotate", mine.id, "--grace-seconds", "0");
  expect([others.code, others.stderr]).toEqual([1, expect.stringContaining("KEY_NOT_FOUND")]);
  await json("as the operator", "keys", "rotate", mine.id, ...twoDays);
  const { keys } = keyRows.parse(await json("as the operator", "keys", "list"));
  const { created_at, expires_at } = z
    .object({ created_at: z.string(), expires_at: z.string() })
    .parse(keys.find(({ id }) => id === mine.id));
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBeGreaterThanOrEqual(172_800_000);
});

test("the operator ends a line with the ids of all that ended, and the audit log names the operator", async () => {
  const { id } = await organizationKey();
  const next = issued.parse(await json("as the operator", "keys", "rotate", id, "--grace-seconds", "600"));
  expect(await json("as the operator", "keys", "revoke", id)).toEqual({
    ...{ id, revoked: true },
    revoked_key_ids: [next.id, id],
  });
  const entry = z.object({ actor: z.looseObject({}), metadata: z.looseObject({}) });
  const log = z.object({ data: z.array(entry) });
  const query = "actions=key.revoked&limit=1";
  const answer = await fetch(`${service().url}/v1/audit-logs?${query}`, {
    headers: { "x-service-api-key": service().keys.workspace ?? "" },
  });
  expect(log.parse(await answer.json()).data[0]).toMatchObject({
    actor: { type: "system", name: "operator" },
    metadata: { revoked_key_ids: [next.id, id] },
  });
});
