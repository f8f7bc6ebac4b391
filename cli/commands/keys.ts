import { createKey, type KeyRequest } from "../../lib/access/create-key.ts";
import type { IssuedKey } from "../../lib/access/key-registry.ts";
import { rotateKey } from "../../lib/access/rotate-key.ts";
import { keyLimits } from "../../lib/contract/limits.ts";
import { instanceTenant } from "../../lib/contract/tenants.ts";
import { findOrganizationByName } from "../../lib/organizations/find.ts";
import { toTimestamp } from "../../lib/runtime/clock.ts";
import { OperatorError, UsageError } from "../../lib/runtime/operator-error.ts";
import { StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { create as httpCreate, rotate as httpRotate, shared } from "../api/keys.ts";
import type { Command, CommandInput } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import { eitherWay, overHttpOrAsOperator } from "../over-http-or-as-operator.ts";
import { graceOption, type IssuedRow, onlyOf, onlyOption, showIssuedRow } from "../show-keys.ts";
import { commandFor } from "../show-once.ts";

const kinds = ["organization", "user", "instance", "legacy", "agentic"] as const;
const anyCount = { min: 1, max: Number.MAX_SAFE_INTEGER };

const create: Command = {
  name: "create",
  summary: "Make an API key and show it once",
  options: {
    kind: {
      value: "KIND",
      help: `${kinds.join(", ")}; workspace tokens: tokens create`,
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
    ...onlyOption,
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
        async () =>
          issuedRow(await createKey(audited, { ...(await resolveRequest(table)), actor: audited.actor })),
        (id) => `To revoke it: ${commandFor(input, `keys revoke ${id}`)}`,
      ),
    );
  },
};

type WithoutActor<One> = One extends unknown ? Omit<One, "actor"> : never;
type Request = WithoutActor<KeyRequest>;

/** Checks the command line before a connection is opened; the organizations are looked up later. */
function parseKeyRequest(input: CommandInput): (table: Table) => Promise<Request> {
  const kind = input.choice("kind", kinds);
  if (kind === undefined) throw new UsageError("--kind is missing.");
  refuseForeignOptions(input, kind);
  const naming = {
    name: input.text("name"),
    expiresInDays: input.integer("expires-in-days", anyCount),
    only: onlyOf(input),
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
  common: Pick<KeyRequest & { kind: "instance" }, "name" | "expiresInDays" | "only" | "role">,
): (table: Table) => Promise<Request> {
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

const rotate: Command = {
  name: "rotate",
  summary: "Give a key a new value and show it once; the old value works until its grace period ends",
  argument: { name: "KEY_ID", required: true, help: "the id that `keys list` shows" },
  options: {
    ...graceOption,
    lost: { help: "nobody received the current value: replaces it, and leaves the old value with its end" },
  },
  examples: ["keys rotate KEY_ID --grace-seconds 86400"],
  run: (input, terminal) => {
    const id = input.requiredArgument("KEY_ID");
    const graceSeconds = input.integer("grace-seconds", { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 0;
    const again = commandFor(input, `keys rotate ${id} --grace-seconds ${graceSeconds} --lost`);
    return withConnection(input, async ({ audited }) => {
      const startedAt = toTimestamp(audited.clock.nowMs());
      const rotated = () => rotateKey(audited, { ...audited, id, graceSeconds, isLost: input.flag("lost") });
      const unknown = (error: unknown) => {
        if (!(error instanceof StoreUnavailable)) throw error;
        // Not "Try again": if the rotation happened, another one would end the value that the customer uses.
        throw new OperatorError(
          `The store does not answer. Key ${id} may have a new value that nobody received. Look at its rotated_at:\n` +
            `${commandFor(input, "keys list")}\n` +
            `If it is ${startedAt} or later, replace that value with this command, otherwise repeat yours:\n${again}`,
        );
      };
      await showIssuedRow(
        input,
        terminal,
        async () => issuedRow(await rotated().catch(unknown)),
        () => `To replace it: ${again}`,
      );
    });
  },
};

export const commands: readonly Command[] = [
  eitherWay(httpCreate, create),
  eitherWay(httpRotate, rotate),
  ...shared.map(overHttpOrAsOperator),
];

export const issuedRow = ({ text, key }: IssuedKey): IssuedRow => ({
  ...key,
  key: text,
  expires_at: key.expires_at_ms === null ? null : toTimestamp(key.expires_at_ms),
  rotated_at: key.rotated_at ?? null,
  old_until: key.old_until ?? null,
});
