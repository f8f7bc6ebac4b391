import { createKey, type KeyRequest } from "../../lib/access/create-key.ts";
import { keyStateOf } from "../../lib/access/key-record.ts";
import { type IssuedKey, listKeysOfOrganization } from "../../lib/access/key-registry.ts";
import { readUses } from "../../lib/access/last-used.ts";
import { readRefusals } from "../../lib/access/refused-because.ts";
import { revokeKey } from "../../lib/access/revoke-key.ts";
import { rotateKey } from "../../lib/access/rotate-key.ts";
import { operator } from "../../lib/audit/entry.ts";
import { keyLimits } from "../../lib/contract/limits.ts";
import { plural } from "../../lib/contract/plural.ts";
import { instanceTenant } from "../../lib/contract/tenants.ts";
import { findOrganizationByName, readOrganizations } from "../../lib/organizations/find.ts";
import { systemClock, toTimestamp } from "../../lib/runtime/clock.ts";
import { UsageError } from "../../lib/runtime/operator-error.ts";
import type { KeyItem } from "../../lib/store/items/key.ts";
import type { Table } from "../../lib/store/table.ts";
import * as http from "../api/keys.ts";
import type { Command, CommandInput } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import { listOptions } from "../listing.ts";
import { overHttpOrAsOperator } from "../over-http-or-as-operator.ts";
import {
  afterRotation,
  type IssuedRow,
  type KeyRow,
  keyFilter,
  keyFilterOptions,
  showIssuedRow,
  showKeyRows,
} from "../show-keys.ts";
import { commandFor } from "../show-once.ts";
import type { Terminal } from "../terminal.ts";

const kinds = ["organization", "user", "instance", "legacy", "agentic"] as const;
const anyCount = { min: 1, max: Number.MAX_SAFE_INTEGER };

const create: Command = {
  name: "create",
  summary: "Make an API key and show it once",
  connects: true,
  options: {
    kind: {
      value: "KIND",
      help: `${kinds.join(", ")}; workspace tokens: tokens create`,
      required: true,
    },
    org: { value: "ORG", help: "the organization, by provider id or UUID (all kinds but instance)" },
    instance: { value: "ID", help: "the instance (instance keys)" },
    home: { value: "ORG", help: "the home organization of an instance key" },
    orgs: { value: "A,B", help: "the organizations of an instance key (default: all of the instance)" },
    owner: {
      value: "USER",
      help: "the member who owns the key, by provider user id; a user key acts as this member",
    },
    role: { value: "ROLE", help: "rights of organization and instance keys (default cr_member)" },
    name: {
      value: "TEXT",
      help: `a name by which you recognize the key, 1 to ${keyLimits.nameCharactersMax} characters`,
    },
    "expires-in-days": { value: "N", help: "default: never" },
  },
  examples: [
    "keys create --kind organization --org 1001 --owner 501 --role cr_admin --name dashboards",
    "keys create --kind user --org 1001 --owner 502 --expires-in-days 90",
    "keys create --kind instance --instance north --home 7001 --orgs 7001,7002 --owner 701",
  ],
  run: (input, terminal) => {
    const resolveRequest = parseKeyRequest(input);
    return withConnection(input, ({ table, audited }) =>
      showIssuedRow(
        input,
        terminal,
        async () => issuedRow(await createKey(audited, await resolveRequest(table))),
        (id) => `To end it: ${commandFor(input, `keys revoke ${id}`)}`,
      ),
    );
  },
};

/** Checks the command line before a connection is opened; the organizations are looked up later. */
function parseKeyRequest(input: CommandInput): (table: Table) => Promise<KeyRequest> {
  const kind = input.choice("kind", kinds) ?? "organization";
  refuseForeignOptions(input, kind);
  const naming = {
    name: input.text("name"),
    expiresInDays: input.integer("expires-in-days", anyCount),
    actor: operator,
  };
  const role = input.text("role") ?? "cr_member";
  if (kind === "instance") return parseInstanceRequest(input, { ...naming, role });
  const name = input.requiredText("org");
  const uuidOf = async (table: Table) => (await findOrganizationByName(table, name)).uuid;
  if (kind === "legacy") return async (table) => ({ ...naming, kind, organization: await uuidOf(table) });
  const owner = input.requiredText("owner");
  return async (table) => {
    const bound = { ...naming, organization: await uuidOf(table), owner };
    return kind === "organization" ? { ...bound, kind, role } : { ...bound, kind };
  };
}

/** A provider id is unique within its instance, even if another tenant uses the same id. */
function parseInstanceRequest(
  input: CommandInput,
  common: Pick<KeyRequest & { kind: "instance" }, "name" | "expiresInDays" | "actor" | "role">,
): (table: Table) => Promise<KeyRequest> {
  const instanceId = input.requiredText("instance");
  const homeName = input.requiredText("home");
  const owner = input.requiredText("owner");
  const names = input.list("orgs");
  return async (table) => {
    const uuidOf = async (name: string) =>
      (await findOrganizationByName(table, name, instanceTenant(instanceId))).uuid;
    const home = await uuidOf(homeName);
    const authorized = names && (await Promise.all(names.map(uuidOf)));
    return { ...common, kind: "instance", instanceId, home, owner, authorized };
  };
}

const optionsOfKind: Readonly<Record<(typeof kinds)[number], readonly string[]>> = {
  organization: ["org", "owner", "role"],
  user: ["org", "owner"],
  agentic: ["org", "owner"],
  legacy: ["org"],
  instance: ["instance", "home", "orgs", "owner", "role"],
};

function refuseForeignOptions(input: CommandInput, kind: (typeof kinds)[number]): void {
  const foreign = ["org", "instance", "home", "orgs", "owner", "role"].find(
    (name) => input.text(name) !== undefined && !optionsOfKind[kind].includes(name),
  );
  if (foreign) throw new UsageError(`--${foreign} cannot be used with --kind ${kind}.`);
}

const list: Command = {
  ...http.list,
  summary: "List every key and workspace token that was ever made, without its secret",
  options: {
    org: { value: "ORG", help: "only the keys of this organization" },
    ...keyFilterOptions,
    ...listOptions,
  },
  run: (input, terminal) => {
    const isWanted = keyFilter(input, systemClock.nowMs());
    return withConnection(input, async ({ table }) => {
      const wanted = input.text("org");
      const organization =
        wanted === undefined ? undefined : (await findOrganizationByName(table, wanted)).uuid;
      const keys = await listKeysOfOrganization({ table }, organization);
      await showKeys({ input, terminal }, table, keys, isWanted);
    });
  },
};

const rotate: Command = {
  ...http.rotate,
  options: {
    "grace-seconds": {
      value: "N",
      help: "how long the old key still works; 0: it ends now",
      required: true,
    },
    owner: { value: "USER", help: "for a legacy key: the member who owns the new organization key" },
  },
  run: (input, terminal) => {
    const graceSeconds = input.integer("grace-seconds", { min: 0, max: keyLimits.graceSecondsMax }) ?? 0;
    const id = input.requiredArgument("KEY_ID");
    const owner = input.text("owner");
    return withConnection(input, ({ audited }) =>
      showIssuedRow(
        input,
        terminal,
        async () => issuedRow(await rotateKey(audited, { id, graceSeconds, owner, actor: operator })),
        afterRotation(input),
      ),
    );
  },
};

const revoke: Command = {
  ...http.revoke,
  options: {},
  run: (input, terminal) =>
    withConnection(input, async ({ audited }) => {
      const id = input.requiredArgument("KEY_ID");
      const ended = await revokeKey(audited, id, operator);
      if (input.flag("json")) terminal.out(JSON.stringify({ id, revoked: true, revoked_key_ids: ended }));
      else terminal.say(`Key ${id} is revoked${alsoEnded(id, ended)}.`);
    }),
};

export const commands: readonly Command[] = [
  create,
  overHttpOrAsOperator(http.list, list),
  overHttpOrAsOperator(http.rotate, rotate),
  overHttpOrAsOperator(http.revoke, revoke),
];

export const issuedRow = ({ text, key }: IssuedKey): IssuedRow => ({
  ...key,
  key: text,
  expires_at: expiryOf(key),
});

/** Says which other keys of the line ended with this one: `, and with it 2 other keys of its line: k1, k2`. */
export function alsoEnded(id: string, ended: readonly string[]): string {
  const others = ended.filter((each) => each !== id);
  if (others.length === 0) return "";
  return `, and with it ${plural(others.length, "other key")} of its line: ${others.join(", ")}`;
}

export async function showKeys(
  { input, terminal }: { readonly input: CommandInput; readonly terminal: Terminal },
  table: Table,
  keys: readonly KeyItem[],
  isWanted: (key: KeyRow) => boolean = () => true,
): Promise<void> {
  const uuids = keys.flatMap(({ organization }) => (organization === null ? [] : [organization]));
  const nowMs = systemClock.nowMs();
  const [used, found, refusals] = await Promise.all([
    readUses(table, keys),
    readOrganizations(table, uuids),
    readRefusals(table, keys, nowMs),
  ]);
  const organizations = new Map(found.map((each) => [each.uuid, each.provider_organization_id]));
  const rows = used.map(
    (key): KeyRow => ({
      id: key.id,
      kind: key.kind,
      name: key.name,
      bound_to:
        key.workspace_id ?? key.instance_id ?? organizations.get(key.organization ?? "") ?? key.organization,
      owner: key.owner,
      role: key.role,
      state: keyStateOf(key, nowMs),
      created_at: key.created_at,
      expires_at: expiryOf(key),
      last_used_at: key.last_used_at_ms === null ? null : toTimestamp(key.last_used_at_ms),
      refused_because: refusals.get(key.id) ?? null,
    }),
  );
  showKeyRows(input, terminal, rows.filter(isWanted));
}

const expiryOf = ({ expires_at_ms }: KeyItem): string | null =>
  expires_at_ms === null ? null : toTimestamp(expires_at_ms);
