import { mkdtemp, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { organizationUuid } from "../../lib/contract/identity.ts";
import * as kinds from "../../lib/contract/items.ts";
import { connectLocally } from "../../lib/operator/local.ts";
import { parseAudit } from "../../lib/store/items/audit.ts";
import { useService } from "../support/service.ts";
import { callJson, callTool, event, ndjson, soloOrganization } from "./support.ts";

const solo = soloOrganization("1", "Solo");
const { provider, instance_id, provider_organization_id } = solo;
const name = { provider, instance_id, provider_organization_id } as const;
const service = useService({ events: [event(1, "organization.saved", solo)] });

/** Made at run time, so that no secret scanner reports this file. */
const credential = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;

const member = (id: number, data: object) =>
  event(id, "member.saved", {
    ...name,
    user_id: String(id),
    username: null,
    email: null,
    role: null,
    seat_assigned: false,
    readable_repository_ids: "*",
    active: true,
    ...data,
  });
const learning = (id: number, repository_id: string) =>
  event(id, "learning.captured", {
    ...name,
    repository_id,
    author_id: "7",
    source: "chat",
    learning: `Use ${credential}.`,
  });
const mistyped = (id: number) =>
  event(id, "organization.saved", { ...soloOrganization(`5${id}`, "Typo"), workspace_id: "acm" });

async function fileOf(...events: readonly object[]): Promise<string> {
  const file = join(service().home, `${Math.floor(performance.now() * 1000)}.ndjson`);
  await writeFile(file, ndjson(events));
  return file;
}

const at = () => ["--data", service().folder];
const waitingList = z.object({
  waiting: z.array(z.object({ id: z.string(), type: z.string(), waits_for: z.string() })),
});
const waiting = async () => waitingList.parse(await callJson("events", "waiting", ...at())).waiting;

async function entriesOfOrganization() {
  const connection = await connectLocally(service().folder, { create: false });
  try {
    const owner = `o#${organizationUuid({ ...name, provider: "github" })}` as const;
    const month = new Date().toISOString().slice(0, 7);
    const { items } = await connection.table.queryPage({
      pk: kinds.audit.partition({ tenant: owner, month }),
    });
    return items.map(parseAudit).filter(({ action }) => action === "event.dropped");
  } finally {
    await connection.close();
  }
}

test("`events send` says what waits and for what, and then ends with 1; without waiting events with 0", async () => {
  const file = await fileOf(member(10, {}), learning(11, "9"), learning(12, "9"), mistyped(13));
  const sent = await callTool("events", "send", file, ...at());
  expect(sent).toEqual({
    code: 1,
    stdout: "",
    stderr: [
      "Sent 4 events, and the queue is empty.",
      "3 events wait and are not applied:",
      "  2 for the repository 9 of organization github 1",
      "  1 for the workspace acm",
      `They are applied when these things arrive. To list them: npx --no-install review-api events waiting ${at().join(" ")}. ` +
        `To remove one: npx --no-install review-api events drop EVENT_ID ${at().join(" ")}`,
    ].join("\n"),
  });
  const json = await callTool("events", "send", file, "--json", ...at());
  expect([json.code, JSON.parse(json.stdout)]).toEqual([
    1,
    {
      sent: 4,
      refused: 0,
      waiting: 3,
      waits_for: [
        { thing: "repository 9 of organization github 1", events: 2 },
        { thing: "workspace acm", events: 1 },
      ],
    },
  ]);
  expect(await callTool("events", "send", await fileOf(member(10, {})), ...at())).toMatchObject({ code: 0 });
});

test("`events waiting` lists age, type and what each event waits for, without credentials", async () => {
  await callTool("events", "send", await fileOf(learning(21, "8")), ...at());
  const listed = await callTool("events", "waiting", ...at());
  expect(listed.stdout).toMatch(/^ID +TYPE +WAITS FOR +AGE\n/);
  expect(listed.stdout).toMatch(
    /000000000021 +learning\.captured +repository 8 of organization github 1 +0 min/,
  );
  expect(JSON.stringify(await callTool("events", "waiting", "--json", ...at()))).not.toContain(credential);
});

test("`events drop` removes a waiting event for good, and the organization's audit log names it", async () => {
  const { id } = learning(31, "7");
  await callTool("events", "send", await fileOf(learning(31, "7"), mistyped(32)), ...at());
  const dropped = await callTool("events", "drop", id, ...at());
  expect(dropped).toEqual({
    code: 0,
    stdout: "",
    stderr: `Removed the waiting event ${id} (learning.captured).`,
  });
  expect((await waiting()).map((each) => each.id)).not.toContain(id);
  expect(await entriesOfOrganization()).toContainEqual(
    expect.objectContaining({
      resource_type: "event",
      resource_id: id,
      actor: expect.objectContaining({ type: "system", name: "operator" }),
      metadata: expect.objectContaining({
        event_type: "learning.captured",
        state: "waiting",
        waited_for: "repository 7 of organization github 1",
      }),
    }),
  );
  const unknown = await callTool("events", "drop", mistyped(32).id, ...at());
  expect(unknown.stderr).toBe(
    `Removed the waiting event ${mistyped(32).id} (organization.saved). There is no audit entry: its organization is not known.`,
  );
  const again = await callTool("events", "drop", id, ...at());
  expect([again.code, again.stderr]).toEqual([1, `No event ${id} waits or has failed.`]);
});

test("`events drop` removes a failed event, shows no credential of it, and the audit log names it", async () => {
  const bad = { ...learning(41, "7") };
  const refused = event(41, bad.type, { ...bad.data, author_id: null });
  await callTool("events", "send", await fileOf(refused), ...at());
  const dropped = await callTool("events", "drop", refused.id, "--json", ...at());
  expect(dropped.code).toBe(0);
  expect(JSON.parse(dropped.stdout)).toMatchObject({ dropped: [{ state: "failed", audited: true }] });
  expect(dropped.stdout).not.toContain(credential);
  expect((await callTool("events", "failed", ...at())).stdout).not.toContain(refused.id);
  const entries = await entriesOfOrganization();
  expect(entries.map(({ resource_id }) => resource_id)).toContain(refused.id);
  expect(JSON.stringify(entries)).not.toContain(credential);
});

test("`events send --check` shows every mistake of every line with its number, and sends nothing", async () => {
  const file = join(service().home, "mistakes.ndjson");
  const lines = [
    JSON.stringify(member(51, {})),
    "oops",
    JSON.stringify({ ...member(53, { role: "admin", active: "yes" }), id: "53" }),
    JSON.stringify(event(54, "planet.saved", {})),
    JSON.stringify({ ...member(55, {}), occurred_at: "2999-01-01T00:00:00Z" }),
  ];
  await writeFile(file, `${lines.join("\n")}\n`);
  const { code, stdout, stderr } = await callTool("events", "send", file, "--check");
  expect(code).toBe(1);
  expect(stderr).toBe("4 of 5 events have mistakes. Nothing was sent.");
  expect(stdout.split("\n")).toEqual([
    `${file}, line 2: this is not JSON.`,
    `${file}, line 3: id: must be a UUID; role: must be a role's UUID or one of: cr_admin, cr_member, cr_billing_admin; active: must be true or false.`,
    expect.stringMatching(/line 4: type: planet\.saved is unknown\. Known types: /),
    `${file}, line 5: occurred_at: lies more than 10 minutes in the future.`,
  ]);
  expect((await waiting()).map(({ id }) => id)).not.toContain(member(51, {}).id);
  const clean = await callTool("events", "send", await fileOf(member(51, {})), "--check");
  expect(clean).toEqual({
    code: 0,
    stdout: "",
    stderr: "Checked 1 event: no mistakes. Nothing was sent.",
  });
});

test("`-` reads the events from standard input and leaves no copy of them behind", async () => {
  const folder = await mkdtemp(join(tmpdir(), "standard-input-"));
  vi.stubEnv("TMPDIR", folder);
  const pipe = (...events: readonly object[]) =>
    Object.defineProperty(process, "stdin", { value: Readable.from([ndjson(events)]), configurable: true });
  const { stdin } = process;
  onTestFinished(() => void Object.defineProperty(process, "stdin", { value: stdin, configurable: true }));
  pipe(member(61, { role: "boss" }));
  const checked = await callTool("events", "send", "-", "--check");
  expect([checked.code, checked.stdout]).toEqual([
    1,
    expect.stringMatching(/^standard input, line 1: role: /),
  ]);
  pipe(member(62, {}));
  expect(await callJson("events", "send", "-", ...at())).toEqual({ sent: 1, refused: 0, waiting: 0 });
  vi.unstubAllEnvs();
  expect(await readdir(folder)).toEqual([]);
});
