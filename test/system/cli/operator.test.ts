import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { readDocument } from "../../../cli/document-file.ts";
import type { KeyKind } from "../../../lib/contract/access.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { isOf } from "../../../lib/contract/kind.ts";
import { connectLocally } from "../../../lib/operator/local.ts";
import type { Item } from "../../../lib/store/table.ts";
import { callJson, callTool, event, get, ndjson, runTool } from "../../cli/support.ts";
import { scanAll } from "../../support/scan-all.ts";
import { useService } from "../../support/service.ts";

const service = useService({ demo: true });
let folder = "";
beforeAll(() => {
  folder = service().folder;
});

const json = (...words: readonly string[]) => callJson(...words, "--data", folder);
const tool = (...words: readonly string[]) => callTool(...words, "--data", folder);
const read = async (path: string, kind: KeyKind = "workspace"): Promise<unknown> =>
  (await get(service().url, path, service().keys[kind])).json();

const auditPage = z.object({
  data: z.array(
    z.object({
      action: z.string(),
      actor: z.object({ type: z.string(), name: z.string().nullable() }),
      metadata: z.record(z.string(), z.unknown()),
    }),
  ),
});
const lastAudit = async (action: string) =>
  auditPage.parse(await read(`/v1/audit-logs?actions=${action}&limit=1`)).data[0];

describe("members", () => {
  const memberList = z.object({
    seats_purchased: z.number(),
    seats_assigned: z.number(),
    members: z.array(z.object({ user_id: z.string(), role: z.string(), seat_assigned: z.boolean() })),
  });
  const members = async (...words: readonly string[]) =>
    memberList.parse(await json("members", "list", "--org", "1001", ...words));

  test("members are listed with roles and seats, and filtered by both", async () => {
    const everybody = await members();
    expect(everybody.members.map(({ user_id }) => user_id)).toEqual([
      "501",
      "502",
      "503",
      "504",
      "506",
      "507",
      "510",
    ]);
    expect(everybody).toMatchObject({ seats_purchased: 25 });
    const admins = await members("--role", "admin");
    expect(admins.members.map(({ user_id }) => user_id)).toEqual(["501", "503"]);
    const unseated = await members("--seat", "unassigned");
    expect(unseated.members.map(({ user_id }) => user_id)).toEqual(["504"]);
    const table = await tool("members", "list", "--org", "1001");
    expect(table.stdout).toMatch(/^USER ID +USERNAME +EMAIL +SEAT ASSIGNED +ROLE/);
    expect(table.stderr).toMatch(/^\d+ of 25 seats of the workspace assigned\.$/);
  });

  test("a role change works at once, the log names the operator, and a failure does not undo the others", async () => {
    const given = await tool(
      "members",
      "set-role",
      "506,404",
      "--org",
      "1001",
      "--role",
      "cr_admin",
      "--json",
    );
    expect([given.code, JSON.parse(given.stdout)]).toEqual([
      1,
      {
        status: "partial_success",
        succeeded: ["506"],
        failed: [
          { user_id: "404", id: "404", code: "USER_NOT_FOUND", message: "There is no such active member." },
        ],
      },
    ]);
    expect(given.stderr).toBe("User 404: There is no such active member.");
    expect((await members("--role", "admin")).members.map(({ user_id }) => user_id)).toContain("506");
    expect(await lastAudit("roles.changed")).toMatchObject({
      actor: { type: "system", name: "operator" },
      metadata: { role: "cr_admin", ids: ["506"] },
    });
  });

  test("--operator names who made a change, and who made a key", async () => {
    const words = ["--data", service().folder, "--operator", "Grace Hopper"];
    await callTool("members", "set-role", "506", "--org", "1001", "--role", "cr_member", ...words);
    const by = { actor: { type: "system", name: "Grace Hopper" } };
    expect(await lastAudit("roles.changed")).toMatchObject(by);
    await callTool("keys", "create", "--kind", "user", "--org", "1001", "--owner", "506", ...words);
    expect(await lastAudit("key.created")).toMatchObject(by);
  });

  test("--operator takes no key and no characters that hide or change what the audit log shows", async () => {
    const refusalOf = async (name: string) => {
      const { code, stderr } = await tool("org", "show", "1001", "--operator", name);
      return [code, stderr.split("\n")[0]];
    };
    expect(await refusalOf(service().keys.user ?? "")).toEqual([2, "--operator takes a name, not a key."]);
    expect(await refusalOf("x".repeat(101))).toEqual([
      2,
      "--operator takes a name: it must have 1 to 100 characters.",
    ]);
    for (const hiding of ["\u001b[2J", "\r", "\n", "\u202e"])
      expect(await refusalOf(`Grace${hiding}Hopper`)).toEqual([
        2,
        "--operator takes a name: it must not contain control characters or invisible formatting characters.",
      ]);
  });

  test("custom roles are found by id, or by name ignoring case; the refusal of an unknown one lists them", async () => {
    const answer = await fetch(`${service().url}/v1/roles`, {
      method: "POST",
      headers: { "x-service-api-key": service().keys.organization ?? "", "content-type": "application/json" },
      body: JSON.stringify({ name: "Security reviewer", permissions: [] }),
    });
    const { id } = z.object({ id: z.string() }).parse(await answer.json());
    const byName = await tool("members", "set-role", "507", "--org", "1001", "--role", "security REVIEWER");
    expect([byName.code, byName.stderr]).toEqual([0, "Gave Security reviewer to 1 member."]);
    expect(await json("members", "set-role", "502", "--org", "1001", "--role", id)).toMatchObject({
      status: "success",
    });
    expect((await members()).members.filter(({ role }) => role === id)).toHaveLength(2);
    const unknown = await tool("members", "set-role", "502", "--org", "1001", "--role", "king");
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      "The organization has no role king; it has cr_admin, cr_member, cr_billing_admin, Security reviewer.",
    ]);
  });

  test("org show shows the pool that assigns the seats: the workspace's, or the organization's own", async () => {
    const { seats_assigned } = await members();
    expect(await json("org", "show", "1001")).toMatchObject({
      seat_pool: "workspace acme",
      seats_purchased: 25,
      seats_assigned,
    });
    expect(await json("org", "show", "3001")).toMatchObject({ seat_pool: "organization" });
  });

  test("the list of organizations and org set show the same seats as org show", async () => {
    const shown = await Promise.all(["1001", "3001"].map((name) => json("org", "show", name)));
    const all = z.object({ organizations: z.array(z.looseObject({})) }).parse(await json("org", "show"));
    for (const record of shown) expect(all.organizations).toContainEqual(record);
    const set = await json("org", "set", "1001", "--seat-assignment-mode", "automatic");
    expect(set).toMatchObject({ seat_pool: "workspace acme", seats_purchased: 25 });
  });

  test("keys list shows workspace tokens too, but not for a single organization", async () => {
    const listed = z.object({
      keys: z.array(z.object({ kind: z.string(), bound_to: z.string().nullable() })),
    });
    const kindsOf = async (...words: readonly string[]) =>
      listed.parse(await json("keys", "list", ...words)).keys;
    expect(await kindsOf()).toContainEqual({ kind: "workspace", bound_to: "acme" });
    expect((await kindsOf("--org", "1001")).map(({ kind }) => kind)).not.toContain("workspace");
  });

  test("keys list --active leaves out the key of somebody who left, over HTTP too; keys list says why", async () => {
    const member = (id: number, active: boolean) =>
      event(
        id,
        "member.saved",
        {
          provider: "github",
          instance_id: null,
          provider_organization_id: "1001",
          user_id: "gone",
          username: null,
          email: null,
          role: null,
          seat_assigned: false,
          readable_repository_ids: "*",
          active,
        },
        `2026-02-01T00:00:0${id % 10}.000Z`,
      );
    const file = join(folder, "gone.ndjson");
    const send = async (...events: readonly object[]) => {
      await writeFile(file, ndjson(events));
      await json("events", "send", file);
    };
    await send(member(71, true));
    const create = ["keys", "create", "--kind", "user", "--org", "1001", "--owner", "gone"];
    const { id } = z.object({ id: z.string() }).parse(await json(...create));
    const listed = z.object({
      keys: z.array(z.object({ id: z.string(), state: z.string(), refused_because: z.string().nullable() })),
    });
    const found = async (...words: readonly string[]) => {
      const forms = [
        await json("keys", "list", ...words),
        await callJson(
          "keys",
          "list",
          ...words,
          "--url",
          service().url,
          "--key",
          service().keys.workspace ?? "",
        ),
      ];
      return forms.map((form) => listed.parse(form).keys.find((key) => key.id === id));
    };
    const working = { id, state: "active", refused_because: null };
    expect(await found("--active")).toEqual([working, working]);
    await send(member(72, false));
    expect(await found("--active")).toEqual([undefined, undefined]);
    const refused = { ...working, refused_because: "owner_left" };
    expect(await found()).toEqual([refused, refused]);
  });

  test("an organization keeps its last admin; the tool changes a billing admin, and lists the role", async () => {
    const last = await tool("members", "set-role", "901", "--org", "3001", "--role", "cr_member");
    expect([last.code, last.stderr]).toEqual([1, "User 901: An organization keeps at least one admin."]);
    const promoted = await tool("members", "set-role", "504", "--org", "1001", "--role", "cr_member");
    expect([promoted.code, promoted.stderr]).toEqual([0, "Gave Member to 1 member."]);
    const back = await tool("members", "set-role", "504", "--org", "1001", "--role", "cr_billing_admin");
    expect([back.code, back.stderr]).toEqual([0, "Gave Billing admin to 1 member."]);
    const help = await tool("members", "set-role", "--help");
    expect(help.stdout + help.stderr).toContain("cr_admin, cr_member, cr_billing_admin, or a custom role");
  });

  test("seats are taken away, and assigned while some are free", async () => {
    const seat = (state: string, ...users: readonly string[]) =>
      json("members", "set-seat", users.join(","), "--org", "1001", "--seat", state);
    const before = (await members()).seats_assigned;
    expect(await seat("unassigned", "506", "507")).toMatchObject({ status: "success" });
    expect((await members()).seats_assigned).toBe(before - 2);
    expect(await seat("assigned", "506")).toMatchObject({ succeeded: ["506"] });
    expect((await members()).seats_assigned).toBe(before - 1);
    expect(await lastAudit("seats.assigned")).toMatchObject({ actor: { name: "operator" } });
    // Studio Lumen bought three seats, two are assigned.
    const file = join(folder, "studio.ndjson");
    const studio = { provider: "bitbucket", instance_id: null, provider_organization_id: "3001" };
    const member = (id: number) =>
      event(id, "member.saved", {
        ...studio,
        user_id: `s${id}`,
        username: null,
        email: null,
        role: null,
        seat_assigned: false,
        readable_repository_ids: "*",
        active: true,
      });
    await writeFile(file, ndjson([member(1), member(2)]));
    await json("events", "send", file);
    const full = await tool("members", "set-seat", "s1,s2", "--org", "3001", "--seat", "assigned");
    expect([full.code, full.stderr]).toEqual([
      1,
      "Assigned 1 seat.\nUser s2: All purchased seats are assigned.",
    ]);
  });

  test.each([
    [
      ["set-role", "1,,2", "--org", "1001", "--role", "r"],
      "USERS takes ids separated by commas, none of them empty.",
    ],
    [["set-seat", "1", "--org", "1001", "--seat", "x"], '--seat takes one of assigned, unassigned, not "x".'],
    [["list"], "--org is missing."],
  ])("members %j is a usage error", async (words, sentence) => {
    const { code, stderr } = await callTool("members", ...words);
    expect([code, stderr.split("\n")[0]]).toEqual([2, sentence]);
  });
});

describe("learnings", () => {
  const learningList = z.object({ learnings: z.array(z.object({ id: z.string(), learning: z.string() })) });
  test("learnings search finds what the reviewer would find, after the index was reconciled", async () => {
    expect(await json("index", "reconcile")).toMatchObject({ failed: 0 });
    expect(await json("index", "reconcile")).toMatchObject({ missing: 0, stale: 0, orphaned: 0, failed: 0 });
    const words = ["learnings", "search", "charge a card again after a timeout", "--org", "1001"];
    const found = learningList.parse(await json(...words, "--repository", "9002", "--results", "2"));
    expect(found.learnings).toHaveLength(2);
    expect(found.learnings[0]?.learning).toMatch(/card|idempotency/);
    const elsewhere = await tool(...words, "--repository", "nowhere");
    expect([elsewhere.code, elsewhere.stdout]).toEqual([0, "No Learning was found."]);
  });
});

describe("repair", () => {
  test("repair of a sound table changes no record, and later events are still stored", async () => {
    const window = "start_date=2000-01-01&end_date=2099-12-31";
    const path = `/v1/metrics/reviews?${window}`;
    const page = z.object({ data: z.array(z.object({ pr_url: z.string() })), next_cursor: z.null() });
    const before = page.parse(await read(path));
    expect(await json("repair")).toEqual({
      streams: expect.any(Number),
      entries_removed: 0,
      copies_restored: 0,
      pull_requests_reset: 0,
      rows_mended: 0,
      parts_dropped: 0,
    });
    expect(page.parse(await read(path))).toEqual(before);
  });

  const sound = { entries_removed: 0, copies_restored: 0, pull_requests_reset: 0, parts_dropped: 0 };

  /** An item that only the second part of a repair reads. */
  const damages: Readonly<Record<string, (items: readonly Item[]) => Item | undefined>> = {
    "an entry": (items) => items.find(({ pk, sk }) => pk.startsWith("S#") && /^\d+$/.test(sk)),
    "a part of a large entry": (items) =>
      items
        .filter((item) => isOf(kinds.organization, item))
        .map(({ uuid }) => ({ ...kinds.spill.key({ organization: String(uuid), spillId: "damaged" }) }))[0],
  };

  test.each(Object.entries(damages))(
    "repair --resume continues a repair that %s has stopped, except the part that needs a stopped service",
    async (_, choose) => {
      const { table, close } = await connectLocally(folder, { create: false });
      try {
        const items = await scanAll(table);
        const chosen = choose(items);
        if (!chosen) throw new Error("The demo has no such item.");
        const { pk, sk } = chosen;
        const before = items.find((each) => each.pk === pk && each.sk === sk);
        const numbers = async () =>
          (await scanAll(table)).filter(({ sk }) => sk === "HEAD").map(({ n }) => n);
        await table.write({ put: { pk, sk, damaged: true } });

        const stopped = await tool("repair");
        expect([stopped.code, stopped.stdout]).toEqual([1, ""]);
        expect(stopped.stderr).toMatch(
          /^The first part is done\. You may start the service now\.\n.*damaged/s,
        );
        const begun = await numbers();
        await table.write(before ? { put: before } : { delete: { pk, sk } });

        const resumed = await tool("repair", "--resume", "--json");
        expect([resumed.code, JSON.parse(resumed.stdout)]).toEqual([0, expect.objectContaining(sound)]);
        expect(resumed.stderr).not.toContain("You may start the service");
        expect(await numbers()).toEqual(begun);
      } finally {
        await close();
      }
      const again = await tool("repair", "--resume");
      expect([again.code, again.stderr]).toEqual([
        1,
        "There is no repair to continue. Run repair without --resume.",
      ]);
    },
  );
});

describe("export from the running service", () => {
  const finalized = (id: number, url: string) =>
    event(id, "pull_request.finalized", {
      provider: "github",
      instance_id: null,
      provider_organization_id: "1001",
      repository_id: "9001",
      pr_url: url,
      author_id: "501",
      author_username: "ada",
      created_at: "2026-01-01T00:00:00Z",
      merged_at: "2026-01-02T00:00:00Z",
      status: "merged",
      reviewed: true,
      review_iterations: 1,
    });

  test("the CSV of an export is the API's own, byte for byte", async () => {
    const words = ["export", "metrics", "--format", "csv", "--start", "2000-01-01", "--data", folder];
    const { stdout } = await runTool(words);
    const query = "start_date=2000-01-01&end_date=9999-12-31&format=csv";
    const answer = await get(service().url, `/v1/metrics/reviews?${query}`, service().keys.workspace);
    expect(stdout).toBe(await answer.text());
  });

  test("--resume adds exactly what was written after the export", async () => {
    const output = join(folder, "reviews.ndjson");
    const words = ["export", "metrics", "--start", "2000-01-01", "--output", output, "--resume"];
    expect(await json(...words)).toMatchObject({ format: "ndjson", added: expect.any(Number) });
    const file = join(folder, "late.ndjson");
    await writeFile(file, ndjson([finalized(90, "https://github.com/acme-web/storefront/pull/1")]));
    await json("events", "send", file);
    expect(await json(...words)).toMatchObject({ added: 1 });
    const last = (await readFile(output, "utf8")).trimEnd().split("\n").at(-1);
    expect(JSON.parse(last ?? "")).toMatchObject({ pr_url: expect.stringMatching(/\/pull\/1$/) });
  });

  test.each([
    ["metrics", "--dataset", "review-comments"],
    ["metrics", "--dataset", "mcp"],
    ["learnings", "--org", "1001"],
    ["audit-logs"],
  ])("export %s %s %s has data to show", async (...words) => {
    const { code, stdout } = await tool("export", ...words);
    expect(code).toBe(0);
    for (const line of stdout.trim().split("\n")) expect(JSON.parse(line)).toBeTypeOf("object");
  });
});

test("openapi prints the document of the contract, with examples", async () => {
  expect(JSON.parse((await callTool("openapi")).stdout)).toEqual(await readDocument());
  expect((await callTool("openapi", "--json")).stdout).not.toContain("\n");
});
