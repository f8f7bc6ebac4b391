import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { dependencies } from "../../../lib/http/dependencies.ts";
import { callJson, callTool, event } from "../../cli/support.ts";
import { instanceData, organizationData, workspaceData } from "../../support/event-data.ts";
import { forgetRequests } from "../../support/forget-requests.ts";
import { emptyWindows } from "../../support/scan-all.ts";
import { useEnvironmentOf, useService } from "../../support/service.ts";

const organization = (provider_organization_id: string, more: object = {}) => ({
  ...organizationData,
  provider: "github",
  instance_id: null,
  provider_organization_id,
  workspace_id: "w",
  name: `Org ${provider_organization_id}`,
  ...more,
});
const member = (provider_organization_id: string, user_id: string, more: object = {}) => ({
  provider: "github",
  instance_id: null,
  provider_organization_id,
  user_id,
  username: user_id,
  email: `${user_id}@x.test`,
  role: null,
  seat_assigned: false,
  readable_repository_ids: "*",
  active: true,
  ...more,
});
const admin = { role: "cr_admin" };
const ada = { email: "ada@x.test" };
const ofInstance = { provider: "gitlab", instance_id: "north" };
const events = [
  [
    "workspace.saved",
    { ...workspaceData, id: "w", name: "W", admins: [{ user_id: "a", email: "boss@x.test" }] },
  ],
  ["organization.saved", organization("1001")],
  ["organization.saved", organization("1002")],
  ["organization.saved", organization("1003", { plan: "pro" })],
  ["member.saved", member("1001", "502", ada)],
  ["member.saved", member("1001", "599", { ...ada, ...admin })],
  ["member.saved", member("1002", "707", ada)],
  ["member.saved", member("1001", "bo")],
  ["member.saved", member("1003", "bo")],
  ["member.saved", member("1001", "lea", { seat_assigned: true })],
  ["instance.saved", { ...instanceData, id: "north", name: "North" }],
  [
    "organization.saved",
    organization("7001", { ...ofInstance, workspace_id: null, deployment: "self_hosted" }),
  ],
  [
    "organization.saved",
    organization("7002", { ...ofInstance, workspace_id: null, deployment: "self_hosted" }),
  ],
  ["member.saved", member("7001", "ian", { ...ofInstance, ...admin })],
] as const;
const lateEvents = [["member.saved", member("1001", "lea", { active: false })]] as const;
const service = useService({
  events: [
    ...events.map(([type, data], index) => event(index + 1, type, data)),
    ...lateEvents.map(([type, data]) => event(99, type, data, "2026-03-01T00:00:00.000Z")),
  ],
});
useEnvironmentOf(service);

let token = "";
let file = "";
const local = (...words: readonly string[]) => callJson(...words, "--data", service().folder);
const issued = z.object({ id: z.string(), key: z.string() });
const tokenWith = async (...more: readonly string[]) => {
  const words = ["--workspace", "w", "--as", "a", "--name", "t", "--expires-in-days", "9", ...more];
  return issued.parse(await local("tokens", "create", ...words)).key;
};
beforeAll(async () => {
  token = await tokenWith();
  file = join(service().home, "people.csv");
});
// Ten calls a minute are few for a test.
const freeTheLimits = async () => {
  await emptyWindows(dependencies().table);
  forgetRequests();
};
beforeEach(freeTheLimits);

const plan = z.object({
  undo: z.string().nullable(),
  steps: z.array(
    z.object({ line: z.number(), outcome: z.string(), what: z.string(), why: z.string().nullable() }),
  ),
});
const apply = async (csv: string, ...words: readonly string[]) => {
  await freeTheLimits();
  await writeFile(file, csv);
  const answer = await callTool("people", "apply", file, "--key", token, "--org", "1001", "--json", ...words);
  const { steps, undo } = plan.parse(JSON.parse(answer.stdout));
  const said = steps.map(({ line, outcome, what, why }) => `${line} ${outcome} ${why ?? what}`);
  return { code: answer.code, steps: said, undo };
};
const membership = z.object({ user_id: z.string(), role: z.string() });
const rolesOf = async (email: string) => {
  const shown = await callJson("people", "show", email, "--key", token);
  const { memberships } = z.object({ memberships: z.array(membership) }).parse(shown);
  return Object.fromEntries(memberships.map(({ user_id, role }) => [user_id, role]));
};
const before = { 502: "cr_member", 599: "cr_admin", 707: "cr_member" };

describe("people apply, one person with two accounts in an organization", () => {
  beforeEach(async () => {
    // The platform sends no admin; the organization keeps one whatever a test does.
    await apply("user_id,role\nbo,cr_admin\n");
    await apply("user_id,role\n599,cr_admin\n");
    await apply("user_id,role\n502,cr_member\n");
  });

  test("a role goes to the account that the row names, and the undo file brings that account back", async () => {
    const taken = await apply("user_id,role\n599,cr_member\n", "--undo", join(service().home, "u1.csv"));
    expect([taken.code, taken.steps]).toEqual([0, ["2 gets role Member"]]);
    expect(await rolesOf("ada@x.test")).toEqual({ ...before, 599: "cr_member" });
    const undo = await readFile(taken.undo ?? "", "utf8");
    expect(undo).toBe("email,user_id,seat,role\r\nada@x.test,599,,cr_admin\r\n");
    expect((await apply(undo)).steps).toEqual(["2 gets role Admin"]);
    expect(await rolesOf("ada@x.test")).toEqual(before);
    expect((await apply("user_id,role\n599,cr_admin\n502,cr_member\n")).steps).toEqual([
      "2 has role Admin",
      "3 has role Member",
    ]);
  });

  test("a user id in the column email names the account too", async () => {
    const { code, steps } = await apply("email,role\n502,cr_admin\n");
    expect([code, steps]).toEqual([0, ["2 gets role Admin"]]);
    expect(await rolesOf("ada@x.test")).toEqual({ ...before, 502: "cr_admin" });
  });

  test("without a user id the role is ambiguous, the seat is not, and nothing else is changed", async () => {
    const { code, steps } = await apply("email,seat,role\nada@x.test,no,cr_admin\n");
    expect([code, steps]).toEqual([
      1,
      [
        "2 lacks seat",
        "2 fails ada@x.test is ambiguous: the accounts in the organization 1001 have the user ids 502, 599. Give user_id",
      ],
    ]);
    expect(await rolesOf("ada@x.test")).toEqual(before);
  });

  test("a user id of another organization changes no role here", async () => {
    const { code, steps } = await apply("email,user_id,role\nada@x.test,707,cr_admin\n");
    expect([code, steps]).toEqual([
      1,
      ["2 fails ada@x.test is no member of the organization 1001 with the user id 707"],
    ]);
    expect(await rolesOf("ada@x.test")).toEqual(before);
  });

  test("each account may have its own row, and the undo file restores both and the seat", async () => {
    const csv = "email,user_id,seat,role\nada@x.test,599,yes,cr_member\nada@x.test,502,,cr_admin\n";
    const done = await apply(csv, "--undo", join(service().home, "u2.csv"));
    expect([done.code, done.steps]).toEqual([0, ["2 gets seat", "2 gets role Member", "3 gets role Admin"]]);
    expect(await rolesOf("ada@x.test")).toEqual({ ...before, 502: "cr_admin", 599: "cr_member" });
    const undo = await readFile(done.undo ?? "", "utf8");
    expect(undo).toBe(
      "email,user_id,seat,role\r\nada@x.test,599,no,cr_admin\r\nada@x.test,502,,cr_member\r\n",
    );
    expect((await apply(undo)).code).toBe(0);
    expect(await rolesOf("ada@x.test")).toEqual(before);
    expect(await callJson("people", "show", "ada@x.test", "--key", token)).toMatchObject({
      seat_assigned: false,
    });
  });

  test("a second row of one account, or of the whole person, is refused; so is a second row for the seat", async () => {
    const rows =
      "email,user_id,seat,role\n,599,yes,\n,599,,cr_member\nada@x.test,,,cr_member\n,502,no,cr_admin\n";
    const { code, steps } = await apply(rows, "--dry-run");
    expect([code, steps]).toEqual([
      1,
      [
        "2 gets seat",
        "3 fails 599 is on line 2 already",
        "4 fails ada@x.test is on line 2 already",
        "5 fails ada@x.test has one seat for all accounts, and it is on line 2 already",
        "5 gets role Admin",
      ],
    ]);
  });

  test("two accounts of one person are two admins, so one of them may lose the role", async () => {
    await apply("email,user_id,role\n,502,cr_admin\nbo@x.test,,cr_member\n");
    const { code, steps } = await apply("user_id,role\n502,cr_member\n");
    expect([code, steps]).toEqual([0, ["2 gets role Member"]]);
    expect(await rolesOf("ada@x.test")).toEqual(before);
  });
});

test("people apply prints an undo command for the service that it changed", async () => {
  await mkdir(join(service().home, "a b"), { recursive: true });
  const undo = join(service().home, "a b", "u.csv");
  await writeFile(file, "email,seat\nbo@x.test,yes\n");
  const places = ["--data", service().folder, "--org", "1001"];
  const { code, stderr } = await callTool("people", "apply", file, "--undo", undo, "--key", token, ...places);
  const command = `people apply '${undo}' --org 1001 --data ${service().folder}`;
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(`To undo what follows: npx --no-install review-api ${command}\n`),
  ]);
  const url = await callTool("people", "apply", undo, "--url", service().url, "--key", token);
  expect(url.stderr).toMatch(new RegExp(`undo-\\S+\\.csv'? --url ${service().url}\n`));
});

describe("people leave", () => {
  const leave = (name: string, ...words: readonly string[]) =>
    callTool("people", "leave", name, "--key", token, ...words);

  test("an address that nobody has ends with 1, and the message says to check it", async () => {
    // An audit entry names a mistyped address among its failures. It is nobody's address all the same.
    await fetch(`${service().url}/v1/users/seats`, {
      method: "POST",
      headers: { "x-service-api-key": token, "content-type": "application/json" },
      body: JSON.stringify({ action: "assign", emails: ["bo@x.test", "aad@x.test"] }),
    });
    const { stdout } = await callTool("export", "audit-logs", "--search", "aad@x.test", "--key", token);
    expect(stdout).toContain('"aad@x.test"');
    for (const words of [[], ["--yes"], ["--yes", "--json"]])
      expect(await leave("aad@x.test", ...words)).toEqual({
        code: 1,
        stdout: "",
        stderr:
          "Nobody with the address aad@x.test is a member, and no key of theirs was found: check the spelling. " +
          "Nothing was changed. Keys in these organizations are not looked at: Org 1003 (on the plan pro).",
      });
  });

  test("for somebody whom the platform has removed it ends with 0, however often it runs", async () => {
    for (const name of ["lea@x.test", "Lea@x.test"]) {
      const { code, stderr } = await leave(name, "--yes");
      expect([code, stderr]).toEqual([
        0,
        `${name} is in the audit log, but is no member now, and no key of theirs was found.\n` +
          "There is nothing to do.\nKeys in these organizations are not looked at: Org 1003 (on the plan pro).",
      ]);
    }
  });

  test("a key that may not read the audit log takes nobody for somebody who has left", async () => {
    const narrow = await tokenWith("--only", "people:write,keys:write");
    const { code, stderr } = await callTool("people", "leave", "lea@x.test", "--key", narrow);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^Nobody with the address lea@x\.test .* Your key may not read the audit log/),
    ]);
  });

  test("it names the organizations whose keys it cannot see, and show does too", async () => {
    const words = ["--kind", "user", "--owner", "bo"];
    const { id } = issued.parse(await local("keys", "create", ...words, "--org", "1001"));
    await local("keys", "create", ...words, "--org", "1003");
    const names = ["Org 1003 (on the plan pro)"];
    const [shown, planned] = [
      await callJson("people", "show", "bo@x.test", "--key", token),
      await callJson("people", "leave", "bo@x.test", "--key", token),
    ];
    expect(shown).toMatchObject({ keys: [{ id }], keys_not_in: names, left_out: [] });
    expect(planned).toMatchObject({ ended_keys: [{ id }], left_out: names });
    const sentence = "Keys in these organizations are not looked at: Org 1003 (on the plan pro).";
    expect((await callTool("people", "show", "bo@x.test", "--key", token)).stderr).toContain(sentence);
    expect((await leave("bo@x.test")).stderr).toContain(sentence);
  });

  test("an instance key looks at the keys of its home alone, and names the other organizations", async () => {
    const words = ["--instance", "north", "--home", "7001", "--owner", "ian", "--role", "cr_admin"];
    const { key } = issued.parse(await local("keys", "create", "--kind", "instance", ...words));
    expect(await callJson("people", "leave", "ian@x.test", "--key", key)).toMatchObject({
      left_out: ["Org 7002 (not the home organization of the key)"],
    });
  });
});
