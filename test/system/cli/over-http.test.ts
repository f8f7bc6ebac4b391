import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { callJson, callTool, runTool } from "../../cli/support.ts";
import { useEnvironmentOf, useService } from "../../support/service.ts";

const service = useService({ demo: true });
const keyRows = z.object({
  keys: z.array(z.object({ id: z.string(), kind: z.string(), state: z.string() })),
});
const idleSeats = z.object({
  seats_held: z.int(),
  not_judged: z.int(),
  idle: z.array(
    z.object({
      organizations: z.string(),
      user_ids: z.string(),
      email: z.string().nullable(),
      seat_since: z.string().nullable(),
      last_reviewed_at: z.string().nullable(),
    }),
  ),
});

/** The operator's form, whatever the environment says. */
const asOperator = (...words: readonly string[]) => callJson(...words, "--data", service().folder);

useEnvironmentOf(service);

describe("one rule decides between HTTP and the operator", () => {
  const kindsOf = (answer: unknown) => new Set(keyRows.parse(answer).keys.map(({ kind }) => kind));

  test("a key in the environment means HTTP: the answer has what that key may see", async () => {
    const { keys: ofKey } = keyRows.parse(await callJson("keys", "list"));
    const { keys: ofOperator } = keyRows.parse(await asOperator("keys", "list"));
    // A workspace token sees its tokens, which the operator lists with `tokens list`, and no instance key.
    expect(new Set(ofKey.map(({ kind }) => kind))).toContain("workspace");
    expect(ofKey.map(({ kind }) => kind)).not.toContain("instance");
    expect(ofOperator.map(({ kind }) => kind)).toContain("instance");
  });

  test("people are told that the command works over HTTP, programs are not", async () => {
    expect((await callTool("keys", "list")).stderr).toContain("Over HTTP, with your key.");
    expect((await callTool("keys", "list", "--json")).stderr).toBe("");
    expect((await callTool("keys", "list", "--key", service().keys.workspace ?? "")).stderr).toBe("");
  });

  test("--data means the operator although there is a key", async () => {
    expect(kindsOf(await asOperator("keys", "list"))).toContain("instance");
  });

  test("without any key the command works as the operator on the default folder", async () => {
    vi.stubEnv("REVIEW_API_KEY", undefined);
    vi.stubEnv("REVIEW_API_URL", undefined);
    const { stdout } = await runTool(["keys", "list", "--json"], { cwd: service().home });
    expect(kindsOf(JSON.parse(stdout))).toContain("instance");
  });

  test.each([
    [["keys", "list", "--key", "k", "--data", "d"], "--key and --data cannot be used together"],
    [["keys", "create", "--owner", "1"], "--owner works only as the operator, with --data or --stack."],
    [["seats", "idle", "--org", "1001"], "--org works only as the operator, with --data or --stack."],
  ])("%j is refused", async (words, message) => {
    const { code, stderr } = await callTool(...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

test("holders whose organizations the key cannot read are not judged over HTTP, and people are told", async () => {
  // This returns when all events are applied, those of the demo too.
  const examples = fileURLToPath(new URL("../../../docs/use/examples/events.ndjson", import.meta.url));
  await asOperator("events", "send", examples);
  const emails = ({ idle }: z.output<typeof idleSeats>) => idle.map(({ email }) => email);
  const found = idleSeats.parse(await asOperator("seats", "idle", "--days", "3", "--org", "1001"));
  const overHttp = idleSeats.parse(await callJson("seats", "idle", "--days", "3"));
  // Emeka is a member only of an organization that is not on the Enterprise plan.
  expect(emails(found)).toContain("emeka@acme.example");
  expect(emails(overHttp)).not.toContain("emeka@acme.example");
  expect(overHttp).toMatchObject({ seats_held: found.seats_held, not_judged: 1 });
  // Both know when a person got the seat, and their last reviewed pull request.
  const petra = {
    organizations: "acme-web",
    user_ids: "510",
    email: "petra@acme.example",
    last_reviewed_at: null,
    seat_since: expect.stringMatching(/^2026-01-05T09:/),
  };
  for (const { idle } of [found, overHttp])
    expect(idle.find(({ email }) => email === petra.email)).toEqual(petra);
  for (const { email, last_reviewed_at, seat_since } of overHttp.idle) {
    const same = found.idle.find((each) => each.email === email);
    // The operator also reads organizations on other plans, and their logs: who reviewed there lately is not idle.
    if (!same) continue;
    if (seat_since !== null) expect(same.seat_since).toBe(seat_since);
    expect((same.last_reviewed_at ?? "") >= (last_reviewed_at ?? "")).toBe(true);
  }
  expect((await callTool("seats", "idle", "--days", "3")).stderr).toContain(
    "Only pull requests that the key can read count: those of organizations on the Enterprise plan.",
  );
});

test("roles come with their permissions and the number of people", async () => {
  const { stdout } = await callTool("roles", "--org", "1001", "--format", "csv");
  expect(stdout).toMatch(
    /^id,name,type,is_default,users,permissions\r\ncr_admin,Admin,system,false,\d+,"learning:read, /,
  );
});
