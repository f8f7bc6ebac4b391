import { afterAll, beforeAll, expect, test } from "vitest";
import type { IssuedKey } from "../../../lib/access/key-registry.ts";
import { madeUpKeyText, makeLegacyKeyText } from "../../../lib/access/key-text.ts";
import { deleteWorkspaceToken } from "../../../lib/access/workspace-tokens.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { type Answer, useApi } from "../../support/api.ts";
import { Pace } from "../../support/pace.ts";
import { isLong, timeoutMs } from "../../support/volume.ts";
import { everyKindOfKey, World } from "../../support/world.ts";
import { requestOf } from "./requests.ts";
import { type Selection, selectionOf, selectors } from "./selectors.ts";
import { type Kind, kinds, type Row, rows } from "./table.ts";
import { buildStandalone, buildWorkspace, type Tenant } from "./world.ts";

const api = useApi();
const world = new World(() => api.store().table);
let tenant: Tenant;
/** The selection is checked after the key. */
let selections: Selection[] = [];
let pace: Pace;
/** Headers sent in place of a valid key, by the reason why they are invalid. */
const bad = new Map<string, readonly string[]>();

const header = (text: string) => ["x-service-api-key", text];
const keep = (reason: string, text: string) => bad.set(reason, header(text));

beforeAll(async () => {
  tenant = await buildWorkspace(world, "keys", "enterprise", "enterprise");
  const { home: foreign } = await buildStandalone(world, "keys", "enterprise");
  selections = selectors
    .map((selector) => selectionOf(selector, tenant, foreign))
    .filter((selection) => selection !== undefined);
  await keepStrangers();
  for (const [reason, spoil] of Object.entries(spoiling)) await keepSpoiled(reason, spoil);
  await keepExpired();
  await keepInactive();
  // Two days later, keys that expire after one day have expired.
  pace = new Pace(Date.now() + 2 * 86_400_000);
}, timeoutMs);
afterAll(() => pace.end());

async function keepStrangers() {
  const { keys, organization } = await everyKindOfKey(world, "strangers");
  const { text } = keys.user;
  bad.set("none", []);
  keep("empty", "");
  keep("malformed", "nonsense");
  keep("a typing mistake", `${text.slice(0, -1)}${text.endsWith("a") ? "b" : "a"}`);
  keep(
    "of the right form, never issued",
    madeUpKeyText({ kind: "workspace", workspaceId: "strangers-workspace" }, systemRandom),
  );
  const hints = { kind: "user", organization, tenant: "w#strangers-workspace", userId: "u-admin" } as const;
  keep("with the hints of a real member, never issued", madeUpKeyText(hints, systemRandom));
  keep("of the old form, never issued", makeLegacyKeyText(systemRandom));
  bad.set("sent twice", [...header(text), "X-Service-Api-Key", text]);
  bad.set("sent with another one", [...header(text), ...header(keys.organization.text)]);
  bad.set("in another header", ["authorization", `Bearer ${text}`]);
  keep("with a space around it", ` ${text}`);
  keep("in capital letters", text.toUpperCase());
}

/** The operator rotates no workspace tokens, and nobody rotates a legacy key. */
const rotated = (graceSeconds: number) => async (issued: IssuedKey) => {
  if (issued.key.kind === "workspace" || issued.key.kind === "legacy") return false;
  await world.rotate(issued, graceSeconds);
  return true;
};

const spoiling: Readonly<Record<string, (issued: IssuedKey) => Promise<boolean>>> = {
  revoked: async (issued) => {
    const { id, kind, workspace_id: workspaceId } = issued.key;
    if (kind !== "workspace") await world.revoke(issued);
    else await deleteWorkspaceToken(world.deps, { workspaceId: workspaceId ?? "", as: "u-admin", id });
    return true;
  },
  "rotated without grace": rotated(0),
  "rotated past its grace": rotated(3_600),
};

async function keepSpoiled(reason: string, spoil: (issued: IssuedKey) => Promise<boolean>) {
  const { keys } = await everyKindOfKey(world, `spoiled-${bad.size}`);
  for (const kind of kinds) if (await spoil(keys[kind])) keep(`${kind}, ${reason}`, keys[kind].text);
}

async function keepExpired() {
  const { organization, home } = await everyKindOfKey(world, "expired");
  const expiresInDays = 1;
  const owned = { owner: "u-admin", expiresInDays };
  const keys: Readonly<Record<Kind, IssuedKey>> = {
    organization: await world.key({ kind: "organization", organization, role: "cr_admin", ...owned }),
    user: await world.key({ kind: "user", organization, ...owned }),
    workspace: await world.token("expired-workspace", "u-admin", expiresInDays),
    instance: await world.key({
      kind: "instance",
      instanceId: "expired-instance",
      home,
      role: "cr_admin",
      ...owned,
    }),
    legacy: await world.key({ kind: "legacy", organization, expiresInDays }),
    agentic: await world.key({ kind: "agentic", organization, ...owned }),
  };
  for (const kind of kinds) keep(`${kind}, expired`, keys[kind].text);
}

async function keepInactive() {
  const members = await everyKindOfKey(world, "left");
  for (const user of ["u-admin", "u-member"]) await world.member(members.cloud, user, { active: false });
  await world.member(members.hosted, "u-admin", { active: false });
  for (const kind of ["organization", "user", "instance", "agentic"] as const)
    keep(`${kind}, its member inactive`, members.keys[kind].text);

  const organizations = await everyKindOfKey(world, "closed");
  await world.organization("closed-org", { workspace_id: "closed-workspace", active: false });
  await world.organization("closed-home", { ...organizations.hosted, active: false });
  for (const kind of ["organization", "user", "legacy", "agentic", "instance"] as const)
    keep(`${kind}, organization inactive`, organizations.keys[kind].text);

  const tenants = await everyKindOfKey(world, "ended");
  await world.workspace("ended-workspace", { active: false });
  await world.instance("ended-instance", { active: false });
  for (const kind of ["workspace", "instance"] as const)
    keep(`${kind}, ${kind} inactive`, tenants.keys[kind].text);
}

const withoutChance = ({ status, body, headers }: Answer) =>
  JSON.stringify([
    status,
    body.toString(),
    Object.entries(headers)
      .filter(([name]) => name !== "x-request-id")
      .sort(),
  ]);

/** A short run tries every row with another sixth of the reasons, and selects another organization each time. */
const sampledEvery = 6;

test(
  "every operation answers every invalid key with the same 401, byte for byte",
  async () => {
    let cells = 0;
    const tried = new Set<string>();
    for (const [rowIndex, row] of rows.entries()) {
      const answers = new Map<string, string[]>();
      for (const [reasonIndex, [reason, rawHeaders]] of [...bad].entries()) {
        if (!isLong && (rowIndex + reasonIndex) % sampledEvery !== 0) continue;
        const selection = selections[cells++ % selections.length];
        if (!selection) throw new Error("There is something to select.");
        const cell = `${row.operation}, ${reason}, ${selection.selector}`;
        const answer = await callWith(row, rawHeaders, selection);
        expect([cell, answer.status, answer.codes]).toEqual([cell, 401, ["UNAUTHORIZED"]]);
        const bytes = withoutChance(answer);
        answers.set(bytes, [...(answers.get(bytes) ?? []), cell]);
        tried.add(selection.selector);
      }
      expect([...answers.values()], row.operation).toHaveLength(1);
    }
    expect(tried.size).toBe(selections.length);
    console.info(
      `keys that are none: ${cells} cells of ${rows.length} rows, ${bad.size} reasons and ${tried.size} selectors`,
    );
  },
  timeoutMs,
);

async function callWith(row: Row, rawHeaders: readonly string[], selection: Selection): Promise<Answer> {
  const request = requestOf(row, { kind: "user", selection, tenant, candidates: [tenant.home] });
  return await api.call(request.target, { rawHeaders, ...request });
}
