import { beforeAll, describe, expect, test, vi } from "vitest";
import { type KeyKind, keyKinds } from "../../lib/contract/access.ts";
import { errorShapeOf } from "../../lib/contract/operation.ts";
import { type ListedOperation, operations } from "../../lib/contract/operations.ts";
import { parametersOf, requestOf } from "../../lib/contract/requests.ts";
import { type Answer, useApi } from "../support/api.ts";
import { unlimitedCalls } from "../support/scan-all.ts";
import { absent } from "../support/subject.ts";
import { everyKindOfKey, gitlab, World } from "../support/world.ts";

const withoutChance = ({ body, headers, status }: Answer) => ({
  status,
  body: body.toString(),
  headers: Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !/^(x-request-id|date|ratelimit.*|x-ratelimit.*|retry-after)$/.test(name),
    ),
  ),
});

/** Keys that every operation refuses. */
async function makeRefused(world: World) {
  const [name, lost, poor] = ["refused", "refused-lost", gitlab("refused-poor", "home")] as const;
  const { organization, cloud, keys: inactive } = await everyKindOfKey(world, name);
  const ofMember = () => world.key({ kind: "user", organization, owner: "u-member" });
  const [revoked, rotated] = [await ofMember(), await ofMember()];
  await world.revoke(revoked);
  await world.rotate(rotated, 0);
  const expired = await world.key({ kind: "user", organization, owner: "u-member", expiresInDays: 1 });
  await world.organization(cloud.provider_organization_id, {
    workspace_id: `${name}-workspace`,
    active: false,
  });
  await world.workspace(`${name}-workspace`, { active: false });
  await world.instance(`${name}-instance`, { active: false });

  await world.workspace(lost, { admins: [{ user_id: "u-was", email: null }] });
  const lostToken = await world.token(lost, "u-was");
  await world.workspace(lost, { admins: [{ user_id: "u-admin", email: null }] });

  await world.instance(poor.instance_id ?? "");
  const poorHome = await world.organization("home", { instance_id: poor.instance_id, plan: "pro" });
  await world.member(poor, "u-admin", { role: "cr_admin" });
  const poorKey = await world.key({
    kind: "organization",
    organization: poorHome,
    owner: "u-admin",
    role: "cr_admin",
  });
  return { inactive, revoked, rotated, expired, lostToken, poorHome, poorKey };
}
type Setup = Awaited<ReturnType<typeof everyKindOfKey>>;
type Refused = Awaited<ReturnType<typeof makeRefused>>;

const api = useApi();
const world = new World(() => api.store().table);
const unlimited = unlimitedCalls(api);
let setup: Setup;
let refused: Refused;
/** The key of a member who left an active organization. */
let left: Awaited<ReturnType<World["key"]>>;
beforeAll(async () => {
  setup = await everyKindOfKey(world, "common");
  refused = await makeRefused(world);
  await world.member(setup.cloud, "u-left");
  left = await world.key({ kind: "user", organization: setup.organization, owner: "u-left" });
  await world.member(setup.cloud, "u-left", { active: false });
});

/** A promise that does not apply to an operation gets no test, instead of a skipped one. */
const when = (applies: boolean) => (name: string, run: () => Promise<void>) => {
  if (applies) test(name, run);
};

let requestsMade = 0;

/** A request that succeeds with every accepted kind of key, unless its path names a thing that does not exist. */
function requestFor(operation: ListedOperation, { cloud, organization, home }: Setup, kind: KeyKind) {
  const subject = {
    ...absent,
    organization_id: kind === "instance" ? home : organization,
    text: `Text ${requestsMade++}`,
    ...(operation.method === "GET" && { role_id: "cr_admin" }),
  };
  const isNamed = kind === "workspace" && operation.organization === "required";
  return requestOf(operation, subject, {
    kind,
    org_id: isNamed ? cloud.provider_organization_id : undefined,
  });
}

const absentStatuses = (operation: ListedOperation): number[] =>
  parametersOf(operation).some((name) => name !== "organization_id") ? [404] : [];

describe.each(operations)("$method $path", (operation: ListedOperation) => {
  const call = (kind: KeyKind, options: { key?: string; rawHeaders?: string[] } = {}) => {
    const { target, ...request } = requestFor(operation, setup, kind);
    return unlimited(target, { ...request, ...options });
  };

  test(`${operation.id} answers every invalid key with the same 401 and keeps only a well-formed request id`, async () => {
    const { expired, revoked, rotated } = refused;
    const valid = setup.keys.user.text;
    const named = (id: string) => ["x-request-id", id];
    const own = await call("user", { rawHeaders: named("my-export_42") });
    const badlyNamed = [
      await call("user", { key: "", rawHeaders: named("") }),
      await call("user", { key: "nonsense", rawHeaders: named("with space") }),
      await call("user", {
        key: `${valid.slice(0, -1)}${valid.endsWith("a") ? "b" : "a"}`,
        rawHeaders: named("é"),
      }),
      await call("user", {
        rawHeaders: ["x-service-api-key", valid, "X-Service-Api-Key", valid, ...named("x".repeat(129))],
      }),
    ];
    const answers = [
      own,
      ...badlyNamed,
      await call("user", { rawHeaders: ["authorization", `Bearer ${valid}`] }),
      await call("user", { key: `cr-${"0".repeat(40)}` }),
      await call("user", { key: revoked.text }),
      await call("user", { key: rotated.text }),
    ];
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 86_400_000 });
    answers.push(await call("user", { key: expired.text }));
    vi.useRealTimers();
    const [first] = answers.map(withoutChance);
    for (const answer of answers) expect(withoutChance(answer)).toEqual(first);
    expect(first).toMatchObject({ status: 401 });
    expect(own.codes).toEqual(["UNAUTHORIZED"]);
    expect(own.headers["x-request-id"]).toBe("my-export_42");
    for (const { headers } of badlyNamed)
      expect(["", "with space", "é", "x".repeat(129)]).not.toContain(headers["x-request-id"]);
  });

  test.each(keyKinds)(`${operation.id} treats a key of kind %s as the contract says`, async (kind) => {
    const answer = await call(kind, { key: setup.keys[kind].text });
    const verdict = operation.keys[kind];
    if (verdict === "forbidden") expect([answer.status, answer.codes]).toEqual([403, ["KEY_TYPE_FORBIDDEN"]]);
    else if (verdict === "gone") expect([answer.status, answer.codes]).toEqual([410, ["LEGACY_API_KEY"]]);
    else expect([operation.answer.status, ...absentStatuses(operation), 403]).toContain(answer.status);
  });

  test(`${operation.id} refuses keys bound to something inactive with a 401`, async () => {
    for (const kind of keyKinds) {
      const answer = await call(kind, { key: refused.inactive[kind].text });
      expect([kind, answer.status, answer.codes]).toEqual([kind, 401, ["UNAUTHORIZED"]]);
    }
  });

  when(operation.keys.user === "accepted")(
    `${operation.id} refuses a user key whose member is inactive`,
    async () => {
      expect((await call("user", { key: left.text })).codes).toEqual(["UNAUTHORIZED"]);
    },
  );

  when(operation.keys.workspace === "accepted")(
    `${operation.id} refuses a workspace token whose owner is no longer an admin`,
    async () => {
      const answer = await call("workspace", { key: refused.lostToken.text });
      expect([answer.status, answer.codes]).toEqual([403, ["WORKSPACE_ADMIN_REQUIRED"]]);
    },
  );

  when(operation.plan !== "any" && operation.keys.organization === "accepted")(
    `${operation.id} needs the Enterprise plan`,
    async () => {
      const poor = { ...setup, organization: refused.poorHome };
      const { target, ...request } = requestFor(operation, poor, "organization");
      const answer = await unlimited(target, { ...request, key: refused.poorKey.text });
      expect([answer.status, answer.codes]).toEqual([403, ["ENTERPRISE_PLAN_REQUIRED"]]);
    },
  );

  test(`${operation.id} refuses unknown query parameters by their name`, async () => {
    const { target, ...request } = requestFor(operation, setup, "organization");
    const joined = `${target}${target.includes("?") ? "&" : "?"}surprise=1`;
    const answer = await unlimited(joined, { ...request, key: setup.keys.organization.text });
    expect([answer.status, answer.codes[0]]).toEqual([400, "INVALID_REQUEST"]);
    expect(answer.message).toMatch(/^surprise: is unknown\./);
    expect(Object.keys(answer.json ?? {})).toEqual([errorShapeOf(operation.path)]);
  });
});
