import { createKey } from "../../access/create-key.ts";
import { type IssuedKey, listKeysOfOrganization, type RegistryDeps } from "../../access/key-registry.ts";
import { KeyRegistryError } from "../../access/key-requirements.ts";
import { hashOf } from "../../access/key-text.ts";
import { sentValueOf } from "../../access/key-value.ts";
import { createWorkspaceToken } from "../../access/workspace-tokens.ts";
import { operator } from "../../audit/entry.ts";
import { type KeyKind, keyKinds } from "../../contract/access.ts";
import { keyLimits } from "../../contract/limits.ts";
import { instanceTenant, workspaceTenant } from "../../contract/tenants.ts";
import { findOrganizationByName } from "../../organizations/find.ts";
import { writeWhole } from "../../runtime/write-whole.ts";
import { isLive, type KeyItem } from "../../store/items/key.ts";
import type { DataDirectory } from "../data-directory.ts";
import { type KeptKeys, readKeptKeys } from "../kept-keys.ts";
import { demoBindings } from "./world.ts";

export type DemoKeys = Readonly<Partial<Record<KeyKind, string>>>;

/**
 * One ready key of each kind, the same at every start. They are stored in the data directory in plain text, which is
 * acceptable for a demo: only its owner can read the file, and the data that the keys open is in the same folder. A
 * kind that can no longer be created (for example because its member was removed) is left out.
 */
export async function demoKeys(deps: RegistryDeps, directory: DataDirectory): Promise<DemoKeys> {
  const before = await readKeptKeys(directory);
  const stored = new Map((await listKeysOfOrganization(deps)).map((key) => [key.id, key]));
  const kept: KeptKeys = {};
  for (const kind of keyKinds) {
    const known = before[kind];
    if (known && isUsable(stored.get(known.id), known.key, deps.clock.nowMs())) {
      kept[kind] = known;
      continue;
    }
    const issued = await unlessRefused(makers[kind](deps));
    if (issued) kept[kind] = { id: issued.key.id, key: issued.text };
  }
  await writeWhole(directory.demoFile, `${JSON.stringify(kept, null, 2)}\n`);
  return Object.fromEntries(Object.entries(kept).map(([kind, { key }]) => [kind, key]));
}

/** The key is live and the text is its current value: after a rotation the kept text is not. */
const isUsable = (key: KeyItem | undefined, text: string, nowMs: number): boolean =>
  key !== undefined && isLive(key, nowMs) && sentValueOf(key, hashOf(text), nowMs)?.state === "current";

async function unlessRefused(issuing: Promise<IssuedKey>): Promise<IssuedKey | undefined> {
  try {
    return await issuing;
  } catch (error) {
    if (error instanceof KeyRegistryError) return undefined;
    throw error;
  }
}

const { workspaceId, instanceId, admin, member, instanceAdmin } = demoBindings;
const naming = { name: "demo", actor: operator };
const role = "cr_admin";

const organizationOf = async ({ table }: RegistryDeps): Promise<string> =>
  (await findOrganizationByName(table, demoBindings.organizationId, workspaceTenant(workspaceId))).uuid;
const homeOf = async ({ table }: RegistryDeps): Promise<string> =>
  (await findOrganizationByName(table, demoBindings.instanceHomeId, instanceTenant(instanceId))).uuid;

const makers: Readonly<Record<KeyKind, (deps: RegistryDeps) => Promise<IssuedKey>>> = {
  organization: async (deps) =>
    createKey(deps, {
      ...naming,
      kind: "organization",
      organization: await organizationOf(deps),
      owner: admin,
      role,
    }),
  user: async (deps) =>
    createKey(deps, { ...naming, kind: "user", organization: await organizationOf(deps), owner: member }),
  workspace: (deps) =>
    createWorkspaceToken(deps, {
      workspaceId,
      as: admin,
      name: naming.name,
      expiresInDays: keyLimits.tokenExpiryDaysMax,
    }),
  instance: async (deps) =>
    createKey(deps, {
      ...naming,
      kind: "instance",
      instanceId,
      home: await homeOf(deps),
      owner: instanceAdmin,
      role,
    }),
  legacy: async (deps) =>
    createKey(deps, { ...naming, kind: "legacy", organization: await organizationOf(deps) }),
  agentic: async (deps) =>
    createKey(deps, { ...naming, kind: "agentic", organization: await organizationOf(deps), owner: member }),
};
