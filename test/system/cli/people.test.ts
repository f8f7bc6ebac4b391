import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { dependencies } from "../../../lib/http/dependencies.ts";
import { callJson, callTool, event } from "../../cli/support.ts";
import { finalized, organizationData, repositoryData, workspaceData } from "../../support/event-data.ts";
import { forgetRequests } from "../../support/forget-requests.ts";
import { emptyWindows } from "../../support/scan-all.ts";
import { useEnvironmentOf, useService } from "../../support/service.ts";

const member = (org: string, user_id: string, more: object = {}) => ({
  provider: "github",
  instance_id: null,
  provider_organization_id: org,
  user_id,
  username: user_id,
  email: `${user_id}@x.test`,
  role: null,
  seat_assigned: false,
  readable_repository_ids: "*",
  active: true,
  ...more,
});
const organization = (provider_organization_id: string, workspace_id: string) => ({
  ...organizationData,
  provider: "github",
  instance_id: null,
  provider_organization_id,
  workspace_id,
  name: provider_organization_id,
});
const workspaceOf = (id: string) => ({
  ...workspaceData,
  id,
  name: id,
  seats_purchased: 2,
  admins: [{ user_id: id, email: `${id}@x.test` }],
});
const repository = (provider_organization_id: string) => ({
  ...repositoryData,
  provider: "github",
  instance_id: null,
  provider_organization_id,
  repository_id: "9001",
  name: "r",
  full_name: `o/${provider_organization_id}`,
});
const reviewed = (provider_organization_id: string, author_id: string) =>
  finalized({ provider: "github", instance_id: null, provider_organization_id }, 1, { author_id });
const events = [
  [
    "workspace.saved",
    {
      id: "w",
      name: "W",
      admins: [
        { user_id: "a", email: "Boss@x.test" },
        { user_id: "z", email: "ann@x.test" },
      ],
      seats_purchased: 2,
      active: true,
    },
  ],
  ["organization.saved", organization("71", "w")],
  ["organization.saved", organization("72", "w")],
  ["member.saved", member("71", "boss", { role: "cr_admin" })],
  ["member.saved", member("71", "ann", { seat_assigned: true })],
  ["member.saved", member("71", "bo", { seat_assigned: true })],
  ["member.saved", member("71", "cy")],
  ["member.saved", member("71", "di")],
  ["member.saved", member("71", "t1", { email: "twin@x.test" })],
  ["member.saved", member("71", "t2", { email: "twin@x.test" })],
  ["member.saved", member("71", "pay", { role: "cr_billing_admin" })],
  // Another person with the user id of somebody in the other organization, and of the workspace's admin.
  ["member.saved", member("72", "ann", { email: "other@x.test", role: "cr_admin" })],
  ["member.saved", member("72", "a", { email: "amy@x.test" })],
  ["workspace.saved", workspaceOf("v")],
  ["organization.saved", organization("81", "v")],
  ["organization.saved", { ...organization("82", "v"), metrics: "preparing" }],
  ["repository.saved", repository("81")],
  ["repository.saved", repository("82")],
  ["member.saved", member("81", "sam", { seat_assigned: true })],
  ["member.saved", member("81", "duo")],
  ["member.saved", member("82", "duo")],
  ["pull_request.finalized", reviewed("81", "sam")],
  ["workspace.saved", workspaceOf("u")],
  ["organization.saved", organization("91", "u")],
  ["member.saved", member("91", "ada", { role: "cr_admin", seat_assigned: true })],
  ["member.saved", member("91", "bob", { seat_assigned: true })],
  ["member.saved", member("91", "=eve", { email: null })],
  ["member.saved", member("91", "kim")],
] as const;
const service = useService({ events: events.map(([type, data], index) => event(index + 1, type, data)) });
useEnvironmentOf(service);

let token = "";
let file = "";
const local = (...words: readonly string[]) => callJson(...words, "--data", service().folder);
const issued = z.object({ id: z.string(), key: z.string() });
const newToken = async (as: string, workspace = "w") =>
  issued.parse(
    await local(
      "tokens",
      "create",
      "--workspace",
      workspace,
      "--as",
      as,
      "--name",
      as,
      "--expires-in-days",
      "9",
    ),
  );
beforeAll(async () => {
  token = (await newToken("a")).key;
  file = join(service().home, "people.csv");
});
// Ten calls a minute are few for a test.
const freeTheLimits = async () => {
  await emptyWindows(dependencies().table);
  forgetRequests();
};
beforeEach(freeTheLimits);
const apply = async (csv: string, ...words: readonly string[]) => {
  await writeFile(file, csv);
  const key = words.includes("--key") ? [] : ["--key", token];
  return await callTool("people", "apply", file, ...key, ...words);
};
/** The address of a proxy, which refuses some requests itself. */
async function proxied(
  refusalOf: (
    path: string,
    body: string,
  ) => { readonly status: number; readonly code: string; readonly wait?: number } | undefined,
): Promise<string> {
  const proxy = createServer(async (request, response) => {
    const { url = "", method = "GET", headers } = request;
    const body = await text(request);
    const refusal = refusalOf(url, body);
    const type = { "content-type": "application/json" };
    if (refusal) {
      const { status, code, wait = 1 } = refusal;
      const error = JSON.stringify({ error: { code, message: "No." } });
      return void response.writeHead(status, { ...type, "retry-after": String(wait) }).end(error);
    }
    const answer = await fetch(`${service().url}${url}`, {
      method,
      headers: { ...type, "x-service-api-key": String(headers["x-service-api-key"]) },
      ...(body !== "" && { body }),
    });
    response.writeHead(answer.status, type).end(await answer.text());
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void proxy.close());
  await once(proxy, "listening");
  const { port } = z.object({ port: z.number() }).parse(proxy.address());
  return `http://127.0.0.1:${port}`;
}
const organizationKey = async (org: string, owner: string) => {
  const words = ["--kind", "organization", "--org", org, "--owner", owner, "--role", "cr_admin"];
  return issued.parse(await local("keys", "create", ...words)).key;
};
const plans = ({ stdout }: { readonly stdout: string }) => {
  const { steps, ...rest } = z
    .looseObject({
      steps: z.array(
        z.object({
          line: z.number(),
          person: z.string(),
          outcome: z.string(),
          what: z.string(),
          why: z.string().nullable(),
        }),
      ),
    })
    .parse(JSON.parse(stdout));
  return { ...rest, steps: steps.map(({ line, outcome, what, why }) => [line, outcome, why ?? what]) };
};

describe("people apply", () => {
  const csv =
    "email,seat,role\r\nANN@x.test,no,\r\nbo@x.test,yes,Member\r\ncy@x.test,yes,cr_admin\r\ndi@x.test,yes,\r\n";

  test("a dry run counts the seats that the file frees; the run does the same, and again nothing", async () => {
    const dry = await apply(csv, "--org", "71", "--dry-run", "--json");
    const plan = [
      [2, "loses", "seat"],
      [3, "has", "seat"],
      [3, "has", "role Member"],
      [4, "gets", "seat"],
      [4, "gets", "role Admin"],
      [5, "fails", "All purchased seats are assigned."],
    ];
    expect([dry.code, plans(dry)]).toEqual([1, { dry_run: true, seats_left: 0, undo: null, steps: plan }]);
    const show = async (name: string) => await callJson("people", "show", name, "--key", token);
    expect(await show("ann@x.test")).toMatchObject({ seat_assigned: true });
    const done = await apply(csv, "--org", "71");
    expect([done.code, done.stderr.split("\n")]).toEqual([1, expect.arrayContaining(["3 changes done."])]);
    expect(done.stdout).toMatch(/^- +2 +ANN@x\.test +loses seat$/m);
    expect(done.stdout).toMatch(/^! +5 +di@x\.test +fails: All purchased/m);
    expect(await show("ann@x.test")).toMatchObject({ seat_assigned: false, seat_since: null });
    expect(await show("cy@x.test")).toMatchObject({
      seat_assigned: true,
      memberships: [{ role: "cr_admin" }],
    });
    const again = plans(await apply(csv, "--org", "71", "--json"));
    expect(again.steps.map(([, outcome]) => outcome)).toEqual(["lacks", "has", "has", "has", "has", "fails"]);
  });

  test("unknown, ambiguous and repeated people, billing admins and unknown roles fail by their line", async () => {
    const { code, ...answer } = await apply(
      "user_id,seat,role\nann,yes,\nghost,yes,\nbo,,cr_admin\nbo,yes,\npay,,cr_member\ndi,,Boss\n",
      ...["--org", "71", "--dry-run", "--json"],
    );
    expect([code, plans(answer).steps.map(([line, outcome]) => [line, outcome])]).toEqual([
      1,
      [
        [2, "fails"],
        [3, "fails"],
        [4, "gets"],
        [5, "fails"],
        [6, "fails"],
        [7, "fails"],
      ],
    ]);
    // Without --org the id names two people.
    const twice = plans(await apply("user_id,seat\nann,no\n", "--dry-run", "--json"));
    expect(twice.steps).toEqual([
      [2, "fails", expect.stringMatching(/^ann is ambiguous: ann@x\.test \(user id ann\), other@x\.test/)],
    ]);
  });

  test("people who share an e-mail address are told apart by user id, and a wrong id is named", async () => {
    const key = await organizationKey("71", "boss");
    const rows = "email,user_id,seat\ntwin@x.test,,no\ntwin@x.test,t2,no\nbo@x.test,di,no\n";
    const { steps } = plans(await apply(rows, "--key", key, "--dry-run", "--json"));
    expect(steps).toEqual([
      [
        2,
        "fails",
        "twin@x.test is ambiguous: twin@x.test (user id t1), twin@x.test (user id t2). Use another of these names, or --org",
      ],
      [3, "lacks", "seat"],
      [4, "fails", expect.stringMatching(/^bo@x\.test with the user id di is unknown/)],
    ]);
  });

  test("a key of one organization refuses --org of another, and changes nothing", async () => {
    const key = await organizationKey("71", "boss");
    const { code, stderr } = await apply("email,role\nbo@x.test,cr_admin\n", "--key", key, "--org", "72");
    expect([code, stderr]).toEqual([2, expect.stringContaining("--org 72: this key acts only on 71.")]);
    for (const org of ["71", "github:71"])
      expect(
        plans(await apply("email,seat\ndi@x.test,no\n", "--key", key, "--org", org, "--json")).steps,
      ).toEqual([[2, "lacks", "seat"]]);
  });

  test.each([
    ["mail,seat\nx,yes\n", 'It has "mail", "seat".'],
    ["email,email,seat\nx,y,yes\n", "each once and no others"],
    ["email;seat\nx;yes\n", 'It has "email;seat".'],
    [
      "email,seat\nbo@x.test,maybe\n,yes\n",
      'Line 2: seat takes yes, no or nothing, not "maybe".\nLine 3: names nobody.',
    ],
    ["email,role\nbo@x.test,cr_admin\n", "--org is missing"],
  ])("a file that is not understood changes nothing: %j", async (content, words) => {
    const { code, stderr } = await apply(content);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(words)]);
  });

  test("a call that fails in the middle keeps what was done and names the rest", async () => {
    let isBroken = true;
    const url = await proxied((path, body) =>
      isBroken && path.startsWith("/v1/users/roles") && body.includes('"dry_run":false')
        ? { status: 403, code: "KEY_LIMITED" }
        : undefined,
    );
    const words = ["--org", "71", "--url", url];
    const rows = "email,seat,role\nbo@x.test,no,cr_admin\n";
    const failed = await apply(rows, ...words);
    expect([failed.code, failed.stderr]).toEqual([
      1,
      expect.stringMatching(
        /1 change done\. Not done: bo@x\.test \(role Admin\)\. The same command does what is left\.$/,
      ),
    ]);
    isBroken = false;
    const again = await apply(rows, ...words);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining("1 change done.")]);
  });
});

describe("people apply, the whole file", () => {
  let words: readonly string[] = [];
  beforeAll(async () => {
    words = ["--org", "91", "--key", (await newToken("u", "u")).key];
  });
  const rows = async () =>
    (await callTool("export", "people", "--format", "ndjson", ...words.slice(2))).stdout
      .split("\n")
      .toSorted();
  const outcomes = async (csv: string, ...more: readonly string[]) => {
    await freeTheLimits();
    const answer = await apply(csv, ...words, "--json", ...more);
    return [answer.code, plans(answer).steps.map(([, outcome, what]) => `${outcome} ${what}`)];
  };

  test("the only admin hands over in one file: roles that are given come before those that are taken", async () => {
    const csv = "email,role\nada@x.test,Member\nbob@x.test,Admin\n";
    expect(await outcomes(csv, "--dry-run")).toEqual([0, ["gets role Member", "gets role Admin"]]);
    expect(await outcomes(csv)).toEqual([0, ["gets role Member", "gets role Admin"]]);
    expect(await outcomes(csv)).toEqual([0, ["has role Member", "has role Admin"]]);
    expect(await outcomes("email,role\nbob@x.test,Member\n", "--dry-run")).toEqual([
      1,
      ["fails An organization keeps at least one admin."],
    ]);
  });

  test("the last two admins who both go, to different roles: the plan keeps one, as the run does", async () => {
    const url = `${service().url}/v1/roles`;
    const headers = { "x-service-api-key": words.at(-1) ?? "", "content-type": "application/json" };
    const body = JSON.stringify({ name: "Reader", permissions: [], org_id: "91" });
    expect(await (await fetch(url, { method: "POST", headers, body })).json()).toMatchObject({
      name: "Reader",
    });
    expect(await outcomes("email,role\nada@x.test,Admin\n")).toEqual([0, ["gets role Admin"]]);
    const csv = "email,role\nada@x.test,Member\nbob@x.test,Reader\n";
    const planned = [1, ["gets role Member", "fails An organization keeps at least one admin."]];
    expect(await outcomes(csv, "--dry-run")).toEqual(planned);
    expect(await outcomes(csv)).toEqual(planned);
    expect(await outcomes("email,role\nada@x.test,Admin\nbob@x.test,Member\n")).toEqual([
      0,
      ["gets role Admin", "gets role Member"],
    ]);
  });

  test("before its first change it writes the file that undoes it; that file restores every seat and role", async () => {
    const before = await rows();
    const csv =
      "email,user_id,seat,role\nada@x.test,,no,Member\nbob@x.test,,yes,Admin\nkim@x.test,,yes,\n,=eve,,Reader\nghost,,yes,\n";
    const done = await apply(csv, ...words);
    const undo = join(service().home, /people\.undo-\d{8}T\d{9}Z\.csv/.exec(done.stderr)?.[0] ?? "");
    expect(done.stderr).toContain(`npx --no-install review-api people apply ${undo} --org 91`);
    expect(await readFile(undo, "utf8")).toBe(
      "email,user_id,seat,role\r\nada@x.test,ada,yes,cr_admin\r\nbob@x.test,bob,,cr_member\r\n" +
        "kim@x.test,kim,no,\r\n,'=eve,,cr_member\r\n",
    );
    expect(await rows()).not.toEqual(before);
    const undone = await callTool("people", "apply", undo, ...words);
    expect([undone.code, undone.stderr]).toEqual([0, expect.stringContaining("5 changes done.")]);
    expect(await rows()).toEqual(before);
    const { stdout } = await callTool("export", "audit-logs", "--search", "kim@x.test", ...words.slice(2));
    expect(
      stdout
        .split("\n")
        .map((line) => /seats\.\w+/.exec(line)?.[0])
        .filter(Boolean),
    ).toEqual(["seats.assigned", "seats.unassigned"]);
  });

  test("an admin who gives up that role with an own key does it last, so the plan holds for the other lines", async () => {
    const before = await rows();
    const { key } = issued.parse(
      await local("keys", "create", "--kind", "user", "--org", "91", "--owner", "ada"),
    );
    const csv = "email,role\nada@x.test,Member\nbob@x.test,Reader\nkim@x.test,Admin\n";
    const { code, stdout, stderr } = await apply(csv, "--key", key);
    expect([code, stderr]).toEqual([0, expect.stringContaining("3 changes done.")]);
    expect(stdout.match(/gets role \w+/g)).toEqual([
      "gets role Member",
      "gets role Reader",
      "gets role Admin",
    ]);
    await apply("email,role\nada@x.test,Admin\nbob@x.test,Member\nkim@x.test,Member\n", ...words);
    expect(await rows()).toEqual(before);
  });

  test("where the file that undoes it cannot be written, nothing is changed", async () => {
    const before = await rows();
    await writeFile(join(service().home, "undo.csv"), "mine");
    const refused = await apply(
      "email,role\nbob@x.test,Admin\n",
      ...words,
      "--undo",
      join(service().home, "undo.csv"),
    );
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/undo\.csv exists\. Nothing was changed; --undo FILE names another file\.$/),
    ]);
    const nowhere = await apply("email,role\nbob@x.test,Admin\n", ...words, "--undo", "/no/where.csv");
    expect(nowhere.stderr).toContain(
      "/no/where.csv cannot be written: its folder does not exist. Nothing was changed",
    );
    expect(await rows()).toEqual(before);
    expect(await readFile(join(service().home, "undo.csv"), "utf8")).toBe("mine");
  });

  test("a plan, and a run that changes nothing, write no file", async () => {
    const files = async () => (await readdir(service().home)).filter((name) => name.includes("undo"));
    const before = await files();
    await apply("email,role\nbob@x.test,Admin\n", ...words, "--dry-run");
    await apply("email,role\nbob@x.test,Member\n", ...words);
    expect(await files()).toEqual(before);
  });

  test("newcomers are refused by line, and told once that people come from the platform", async () => {
    const csv = `email,seat\n${Array.from({ length: 30 }, (_, index) => `new${index}@x.test,yes\n`).join("")}`;
    const { code, stdout, stderr } = await apply(csv, ...words, "--dry-run");
    expect(code).toBe(1);
    expect(stdout.match(/fails: new\d+@x\.test is unknown$/gm)).toHaveLength(30);
    expect(stderr).toContain(
      "30 of 30 lines failed. 30 people are unknown. Members and teams come only from",
    );
    expect(stderr.match(/docs\/use\/jobs\/people\.md#newcomers/g)).toHaveLength(1);
  });
});

describe("people show and leave", () => {
  test("show waits for no organization that prepares its metrics, and names the person's that it leaves out", async () => {
    const { key } = await newToken("v", "v");
    const show = (name: string) => callJson("people", "show", name, "--key", key);
    expect(await show("sam@x.test")).toMatchObject({
      last_reviewed_at: "2026-11-02T10:00:00.000Z",
      seat_since: expect.stringMatching(/^20/),
      left_out: [],
      not_readable: [],
    });
    expect(await show("duo@x.test")).toMatchObject({
      last_reviewed_at: null,
      memberships: [{}, {}],
      left_out: ["82 (its metrics are being prepared)"],
    });
    const { stderr } = await callTool("people", "show", "duo@x.test", "--key", key);
    expect(stderr).toBe("The last review leaves out: 82 (its metrics are being prepared).");
  });

  test("show does not wait for metrics that begin to be prepared meanwhile, and names them as missing", async () => {
    let asked = 0;
    const url = await proxied((path) =>
      path.startsWith("/v1/metrics/") && ++asked > 0
        ? { status: 503, code: "METRICS_PREPARING", wait: 60 }
        : undefined,
    );
    const shown = await callJson("people", "show", "ann@x.test", "--key", token, "--url", url);
    expect([asked, shown]).toEqual([
      1,
      expect.objectContaining({
        email: "ann@x.test",
        keys: expect.any(Array),
        last_reviewed_at: null,
        left_out: [],
        not_readable: ["last review (METRICS_PREPARING)"],
      }),
    ]);
  });

  test("show names everything that a narrow key may not read", async () => {
    const words = ["--kind", "organization", "--org", "71", "--owner", "boss", "--role", "cr_admin"];
    const { key } = issued.parse(await local("keys", "create", ...words, "--only", "people:read"));
    expect(await callJson("people", "show", "ann@x.test", "--key", key)).toMatchObject({
      seat_since: null,
      last_reviewed_at: null,
      keys: null,
      not_readable: ["seat since (KEY_LIMITED)", "last review (KEY_LIMITED)", "keys (KEY_LIMITED)"],
    });
  });

  test("leave shows a plan, then takes the seat and ends that person's keys and tokens alone", async () => {
    const key = async (kind: string, org: string, owner: string) =>
      issued.parse(await local("keys", "create", "--kind", kind, "--org", org, "--owner", owner)).id;
    await apply("email,seat\nann@x.test,yes\n");
    const mine = [
      await key("user", "71", "ann"),
      await key("agentic", "71", "ann"),
      (await newToken("z")).id,
    ];
    const owned = await key("organization", "71", "ann");
    const others = [await key("user", "72", "ann"), await key("user", "71", "bo")];
    const leave = (...words: readonly string[]) =>
      callJson("people", "leave", "Ann@x.test", "--key", token, ...words);
    const answer = z.object({
      done: z.boolean(),
      seat: z.boolean(),
      ended_keys: z.array(z.object({ id: z.string() })),
      owned_keys: z.array(z.object({ id: z.string() })),
    });
    const idsOf = (keys: ReadonlyArray<{ id: string }>) => keys.map(({ id }) => id).toSorted();
    const statesOf = async (ids: readonly string[]) => {
      const { keys } = z
        .object({ keys: z.array(z.object({ id: z.string(), state: z.string() })) })
        .parse(await local("keys", "list"));
      return ids.map((id) => keys.find((each) => each.id === id)?.state);
    };
    const plan = answer.parse(await leave());
    expect([plan.done, plan.seat, idsOf(plan.ended_keys), idsOf(plan.owned_keys)]).toEqual([
      false,
      true,
      mine.toSorted(),
      [owned],
    ]);
    expect(await statesOf(mine)).toEqual(["active", "active", "active"]);
    const shown = await callJson("people", "show", "ann@x.test", "--key", token);
    expect(shown).toMatchObject({
      seat_assigned: true,
      memberships: [{ organization_id: "71", user_id: "ann" }],
    });
    expect(idsOf(z.object({ keys: z.array(z.object({ id: z.string() })) }).parse(shown).keys)).toEqual(
      [...mine, owned].toSorted(),
    );
    expect(answer.parse(await leave("--yes"))).toMatchObject({ done: true });
    expect(await statesOf([...mine, owned, ...others])).toEqual([
      ...Array(3).fill("revoked"),
      ...Array(3).fill("active"),
    ]);
    expect(await callJson("people", "show", "ann@x.test", "--key", token)).toMatchObject({
      seat_assigned: false,
    });
    expect(answer.parse(await leave("--yes"))).toMatchObject({ seat: false, ended_keys: [] });
  });

  test("leave keeps the token that it uses, and never takes an admin for a member of the same id", async () => {
    const { stdout, stderr } = await callTool("people", "leave", "boss@x.test", "--key", token, "--yes");
    expect([stderr, stdout]).toEqual([
      expect.stringContaining("There is nothing to do."),
      expect.stringMatching(/workspace +a +all/),
    ]);
    const amy = await callJson("people", "leave", "amy@x.test", "--key", token);
    expect(amy).toMatchObject({ ended_keys: [], owned_keys: [] });
    expect((await callTool("people", "leave", "ghost", "--key", token)).stderr).toMatch(/^ghost is unknown/);
  });

  test("leave says before its plan that it keeps the token in use, and with a made key it changes nothing", async () => {
    const boss = await newToken("a");
    const plan = await callTool("people", "leave", "boss@x.test", "--key", boss.key);
    expect(plan.stderr).toMatch(
      new RegExp(
        `^Your key ${boss.id} belongs to them too\\. This command does not revoke the key that it uses`,
      ),
    );
    const made = issued.parse(
      await callJson(
        "keys",
        "create",
        "--name",
        "made",
        "--only",
        "keys:write,people:write",
        "--key",
        boss.key,
      ),
    );
    const { code, stderr } = await callTool("people", "leave", "boss@x.test", "--key", made.key, "--yes");
    expect([code, stderr]).toEqual([
      1,
      `Your key was made by key ${boss.id}, so it revokes no other key. Nothing was changed. Use ${boss.id}, or another Admin key.`,
    ]);
    const { key } = z
      .object({ key: z.object({ id: z.string() }) })
      .parse(await callJson("whoami", "--key", boss.key));
    expect(key.id).toBe(boss.id);
  });

  test("export people has a row for each membership, with every kind of key", async () => {
    const rows = async (key: string) =>
      (await callTool("export", "people", "--format", "ndjson", "--key", key)).stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    const whole = await rows(token);
    expect(whole).toHaveLength(10);
    const key = await organizationKey("72", "ann");
    const byName = (list: readonly { user_id: string }[]) =>
      list.toSorted((one, other) => (one.user_id < other.user_id ? -1 : 1));
    expect(byName(await rows(key))).toEqual(
      byName(whole.filter(({ organization_id }) => organization_id === "72")),
    );
  });
});
