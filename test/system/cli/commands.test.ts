import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import {
  callJson,
  callTool,
  event,
  get,
  ndjson,
  runTool,
  soloOrganization,
  useDev,
} from "../../cli/support.ts";
import { engineKind } from "../../support/engine.ts";
import { useService } from "../../support/service.ts";

const dev = useDev();
const service = useService({ demo: true });
let folder = "";
beforeAll(() => {
  folder = service().folder;
});

/** Made at run time, so that no secret scanner reports this file. */
const credential = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;

const issued = z.object({
  key: z.string(),
  id: z.string(),
  kind: z.string(),
  expires_at: z.string().nullable(),
});
const createKey = async (...words: readonly string[]) =>
  issued.parse(await callJson("keys", "create", ...words, "--data", folder));
const whoami = async (key: string) => (await get(service().url, "/v1/whoami", key)).status;

describe("keys, while the service runs", () => {
  test.each([
    ["organization", ["--org", "1001", "--owner", "501", "--role", "cr_admin", "--name", "reports"]],
    ["user", ["--org", "3001", "--owner", "901", "--expires-in-days", "30"]],
    ["agentic", ["--org", "3001", "--owner", "902"]],
    ["legacy", ["--org", "1002"]],
    ["instance", ["--instance", "north", "--home", "7001", "--orgs", "7001,7002", "--owner", "701"]],
  ])("a new %s key works at once", async (kind, words) => {
    const { key, kind: made, expires_at } = await createKey("--kind", kind, ...words);
    expect(made).toBe(kind);
    expect(expires_at !== null).toBe(words.includes("--expires-in-days"));
    expect(await whoami(key)).toBe(200);
  });

  test("standard output holds only the key, so that a script can store it", async () => {
    const words = ["keys", "create", "--kind", "user", "--org", "1001", "--owner", "502", "--data", folder];
    const { code, stdout, stderr } = await callTool(...words);
    expect(code).toBe(0);
    expect(await whoami(stdout)).toBe(200);
    expect(stderr).toMatch(/^This user key has the id k\w+\. It is shown only once\.$/);
  });

  test("an old value works during its grace, beside the new one; without grace, or revoked, it stops", async () => {
    const first = await createKey("--kind", "organization", "--org", "1001", "--owner", "501");
    const rotate = async (seconds: string) =>
      issued.parse(await callJson("keys", "rotate", first.id, "--grace-seconds", seconds, "--data", folder));
    const second = await rotate("60");
    expect([await whoami(first.key), await whoami(second.key)]).toEqual([200, 200]);
    const third = await rotate("0");
    expect([third.id, await whoami(first.key), await whoami(second.key)]).toEqual([first.id, 401, 401]);
    expect(await whoami(third.key)).toBe(200);
    expect(await callJson("keys", "revoke", first.id, "--data", folder)).toEqual({
      id: first.id,
      revoked: true,
      revoked_key_ids: [first.id],
    });
    expect(await whoami(third.key)).toBe(401);

    const list = z.object({ keys: z.array(z.object({ id: z.string(), state: z.string() })) });
    const rows = list.parse(await callJson("keys", "list", "--org", "1001", "--data", folder)).keys;
    expect(rows.filter(({ id }) => id === first.id)).toMatchObject([{ state: "revoked" }]);
    const active = list.parse(await callJson("keys", "list", "--active", "--data", folder)).keys;
    expect(active.map(({ id }) => id)).not.toContain(first.id);
  });

  test("no list ever shows a secret", async () => {
    const { key } = await createKey("--kind", "user", "--org", "1001", "--owner", "502");
    const json = await callTool("keys", "list", "--data", folder, "--json");
    const table = await callTool("keys", "list", "--data", folder);
    for (const { stdout } of [json, table]) expect(stdout).not.toContain(key);
    expect(table.stdout).toMatch(/^ID +KIND +NAME +BOUND TO/);
  });

  test.each([
    [["keys", "create", "--kind", "user", "--org", "9999", "--owner", "1"], "There is no organization 9999."],
    [
      ["keys", "create", "--kind", "user", "--org", "1001", "--owner", "1"],
      "User 1 is not an active member of the organization.",
    ],
    [
      ["keys", "create", "--kind", "instance", "--instance", "north", "--home", "1001", "--owner", "701"],
      "There is no organization 1001 there.",
    ],
    [["keys", "revoke", "k404"], "There is no key k404."],
    [["tokens", "list", "--workspace", "acme", "--as", "502"], "User 502 is not an admin of workspace acme."],
    [["org", "show", "nowhere"], "There is no organization nowhere."],
  ])("an impossible command ends with one sentence and exit code 1: %j", async (words, sentence) => {
    expect(await callTool(...words, "--data", folder)).toEqual({ code: 1, stdout: "", stderr: sentence });
  });
});

test("a token that an admin creates works across the workspace, and stops when it is deleted", async () => {
  const as = ["--workspace", "acme", "--as", "503", "--data", folder];
  const token = issued.parse(
    await callJson("tokens", "create", ...as, "--name", "nightly", "--expires-in-days", "7"),
  );
  expect((await get(service().url, "/v1/organizations", token.key)).status).toBe(200);
  expect(await callJson("tokens", "list", ...as)).toMatchObject({
    keys: expect.arrayContaining([
      expect.objectContaining({ id: token.id, name: "nightly", state: "active" }),
    ]),
  });
  expect(await callJson("tokens", "delete", token.id, ...as)).toEqual({
    id: token.id,
    deleted: true,
    revoked_key_ids: [token.id],
  });
  expect(await whoami(token.key)).toBe(401);
});

describe("events, while the service runs", () => {
  test("events are applied when the command ends; refused ones are listed with reasons and can be sent again", async () => {
    const file = join(folder, "events.ndjson");
    const bad = event(12, "organization.saved", { ...soloOrganization("501", "bad"), plan: "gold" });
    const large = event(13, "workspace.saved", {
      id: "large",
      name: "Large",
      admins: Array.from({ length: 4_000 }, (_, index) => ({
        user_id: `user-${index}`,
        email: `user-${index}@large.example`,
      })),
      seats_purchased: 1,
      active: true,
    });
    await writeFile(
      file,
      ndjson([event(11, "organization.saved", soloOrganization("500", "good")), bad, large]),
    );

    const sent = await callTool("events", "send", file, "--data", folder, "--json");
    expect([sent.code, JSON.parse(sent.stdout)]).toEqual([1, { sent: 3, refused: 1, waiting: 0 }]);
    expect(sent.stderr).toBe(
      `1 event was refused. To see why: npx --no-install review-api events failed --data ${folder}`,
    );
    expect(await callJson("org", "show", "500", "--data", folder)).toMatchObject({ name: "good" });
    expect(await readdir(join(folder, "events"))).toHaveLength(1);

    const failedEvents = () => callJson("events", "failed", "--data", folder);
    const letter = { id: bad.id, type: "organization.saved", reason: expect.stringContaining("plan") };
    expect(await failedEvents()).toMatchObject({ failed: [letter] });
    const again = await callTool("events", "redrive", bad.id, "--data", folder, "--json");
    expect([again.code, JSON.parse(again.stdout)]).toEqual([1, { sent: 1, failed_again: [letter] }]);
    expect(again.stderr).toMatch(new RegExp(`^1 event failed again:\n  ${bad.id}: plan: `));
    expect(await failedEvents()).toMatchObject({ failed: [letter] });
    const unknown = await callTool("events", "redrive", "no-such-event", "--data", folder);
    expect([unknown.code, unknown.stderr]).toEqual([1, "There is no failed event no-such-event."]);
  });

  test("no command shows a credential that a failed event holds", async () => {
    const file = join(folder, "credentials.ndjson");
    const { provider, instance_id, provider_organization_id } = soloOrganization("1", "Solo");
    const learning = { provider, instance_id, provider_organization_id, repository_id: "9", source: "chat" };
    const refused = [
      event(61, "learning.captured", { ...learning, author_id: null, learning: `Use ${credential}.` }),
      event(62, `x.${credential}`, { text: `Use ${credential}.` }),
    ];
    const waiting = { ...learning, author_id: "7", learning: `Use ${credential}.` };
    await writeFile(file, ndjson([...refused, event(63, "learning.captured", waiting)]));
    const ids = refused.map(({ id }) => id);
    const shown = [
      await callTool("events", "send", file, "--data", folder),
      await callTool("events", "failed", "--data", folder),
      await callTool("events", "failed", "--data", folder, "--json"),
      await callTool("events", "redrive", "--data", folder, "--json"),
      await callTool("events", "redrive", "--data", folder),
    ];
    expect(shown[2]?.stdout).toContain("[REDACTED:github_token]");
    const failed = z.object({ failed: z.array(z.object({ id: z.string() })) });
    const listed = failed.parse(JSON.parse(shown[2]?.stdout ?? "")).failed.map(({ id }) => id);
    expect(listed.filter((id) => ids.includes(id)).toSorted()).toEqual(ids);
    expect(JSON.stringify(shown)).not.toContain(credential);
  });

  test("two concurrent senders each see only their own refusals", async () => {
    const files = await Promise.all(
      [31, 32].map(async (id) => {
        const file = join(folder, `sender-${id}.ndjson`);
        const plan = id === 31 ? "gold" : "enterprise";
        await writeFile(
          file,
          ndjson([event(id, "organization.saved", { ...soloOrganization(`8${id}`, "two"), plan })]),
        );
        return file;
      }),
    );

    const outcomes = await Promise.all(
      files.map((file) => callTool("events", "send", file, "--data", folder, "--json")),
    );

    expect(outcomes.map(({ code, stdout }) => [code, JSON.parse(stdout)])).toEqual([
      [1, { sent: 1, refused: 1, waiting: 0 }],
      [0, { sent: 1, refused: 0, waiting: 0 }],
    ]);
  });

  test("only LF ends a line: JSON strings may hold U+2028, and a line may end with CRLF", async () => {
    const file = join(folder, "separators.ndjson");
    const name = "line\u2028paragraph\u2029end";
    const events = [41, 42].map((id) =>
      JSON.stringify(event(id, "organization.saved", soloOrganization(`9${id}`, name))),
    );
    await writeFile(file, `\ufeff${events.join("\r\n")}`);

    expect(await callJson("events", "send", file, "--data", folder)).toEqual({
      sent: 2,
      refused: 0,
      waiting: 0,
    });
    expect(await callJson("org", "show", "941", "--data", folder)).toMatchObject({ name });
  });

  test("a file with one invalid line sends nothing", async () => {
    const file = join(folder, "half.ndjson");
    await writeFile(
      file,
      `${ndjson([event(21, "organization.saved", soloOrganization("600", "never"))])}oops\n`,
    );
    const { code, stderr } = await callTool("events", "send", file, "--data", folder);
    expect([code, stderr]).toEqual([1, `${file}, line 2: this is not JSON. Nothing was sent.`]);
    expect((await callTool("org", "show", "600", "--data", folder)).code).toBe(1);
  });
});

describe("org", () => {
  test("events do not change values that the operator set with org set", async () => {
    const file = join(folder, "later.ndjson");
    await writeFile(file, ndjson([event(31, "organization.saved", soloOrganization("700", "first"))]));
    await callJson("events", "send", file, "--data", folder);
    const set = ["org", "set", "700", "--seat-assignment-mode", "manual", "--approval-delay-days", "5"];
    const decided = { seat_assignment_mode: "manual", approval_delay_days: 5 };
    expect(await callJson(...set, "--data", folder)).toMatchObject(decided);
    const later = event(
      32,
      "organization.saved",
      soloOrganization("700", "renamed"),
      "2026-03-01T00:00:00.000Z",
    );
    await writeFile(file, ndjson([later]));
    await callJson("events", "send", file, "--data", folder);
    expect(await callJson("org", "show", "700", "--data", folder)).toMatchObject({
      name: "renamed",
      ...decided,
    });
  });

  test("org set changes the delay of one repository only, and later events do not change it", async () => {
    const file = join(folder, "repository.ndjson");
    const repository = (name: string) => ({
      provider: "github",
      instance_id: null,
      provider_organization_id: "710",
      repository_id: "9001",
      name,
      full_name: `acme/${name}`,
      private: true,
      url: "https://git.example.com/acme/api",
      active: true,
      approval_delay_days: 2,
    });
    const send = async (...events: object[]) => {
      await writeFile(file, ndjson(events));
      await callJson("events", "send", file, "--data", folder);
    };
    await send(
      event(51, "organization.saved", soloOrganization("710", "first")),
      event(52, "repository.saved", repository("api")),
    );
    const set = ["org", "set", "710", "--repository", "9001", "--data", folder];
    expect(await callJson(...set, "--approval-delay-days", "14")).toMatchObject({ approval_delay_days: 14 });
    await send(event(53, "repository.saved", repository("renamed"), "2026-03-01T00:00:00.000Z"));
    expect(await callJson(...set, "--inherit-approval-delay")).toMatchObject({
      full_name: "acme/renamed",
      approval_delay_days: null,
    });
    await send(event(54, "repository.saved", repository("again"), "2026-04-01T00:00:00.000Z"));
    expect(await callJson(...set, "--approval-delay-days", "0")).toMatchObject({ full_name: "acme/again" });
    const { code, stderr } = await callTool(
      ...["org", "set", "710", "--repository", "1", "--inherit-approval-delay", "--data", folder],
    );
    expect([code, stderr]).toEqual([1, "The organization has no repository 1."]);
  });

  test("an id that two organizations have is refused with their UUIDs, and a UUID names one", async () => {
    const file = join(folder, "twins.ndjson");
    const twin = { ...soloOrganization("800", "twin"), provider: "gitlab" };
    const twins = [
      event(41, "organization.saved", soloOrganization("800", "single")),
      event(42, "organization.saved", twin),
    ];
    await writeFile(file, ndjson(twins));
    await callJson("events", "send", file, "--data", folder);
    const { code, stderr } = await callTool("org", "show", "800", "--data", folder);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^Several organizations have the id 800; name one by UUID: /),
    ]);
    const uuids = stderr.match(/[0-9a-f-]{36}/g) ?? [];
    expect(uuids).toHaveLength(2);
    const shown = await Promise.all(
      uuids.map((uuid) => callJson("org", "show", uuid.toUpperCase(), "--data", folder)),
    );
    expect(shown.map((each) => z.object({ name: z.string() }).parse(each).name).toSorted()).toEqual([
      "single",
      "twin",
    ]);
  });
});

describe("without a service", () => {
  test("without a service, commands start the engine, wait for their turn and leave nothing behind", async () => {
    const own = await dev.folder();
    const file = join(own, "events.ndjson");
    await writeFile(file, ndjson([event(1, "organization.saved", soloOrganization("900", "alone"))]));
    const sending = runTool(["events", "send", file, "--data", own]);
    // From here on the first command has the folder.
    await expect.poll(() => existsSync(join(own, engineKind.dataPath))).toBe(true);
    const shown = await callTool("org", "show", "900", "--data", own, "--json");
    expect([shown.code, JSON.parse(shown.stdout).name]).toEqual([0, "alone"]);
    expect(await sending).toEqual({
      code: 0,
      stdout: "",
      stderr: "Sent 1 event, and the queue is empty.\n",
    });
    // An engine that is too slow to end is killed, and its own journal stays beside its file.
    const left = (await readdir(own)).filter((name) => !name.startsWith(`${engineKind.dataPath}-`));
    expect(left.toSorted()).toEqual([engineKind.dataPath, "events.ndjson", "lock"].toSorted());
    // Nothing serves the data that is there now.
    expect((await callTool("verify", "--data", own)).stderr).toBe(
      `No local service runs on ${own}; start it first: npx --no-install review-api dev --data ${own}`,
    );
  });

  test("a command in a folder without data says how to create some", async () => {
    const own = await dev.folder();
    expect(await callTool("keys", "list", "--data", own)).toEqual({
      code: 1,
      stdout: "",
      stderr: `There is no data in ${own} yet; start the service first: npx --no-install review-api dev --data ${own}`,
    });
    expect(await readdir(own)).toEqual([]);
  });
});
