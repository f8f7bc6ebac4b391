import type { Actor } from "../audit/entry.ts";
import { keyLimits } from "../contract/limits.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { retryOnConflict } from "../store/retry-on-conflict.ts";
import type { Table } from "../store/table.ts";
import {
  checkedKeyName,
  checkedOnly,
  draftKeyItem,
  expiryOf,
  type IssuedKey,
  type KeyFields,
  keyConditions,
  type RegistryDeps,
  storeKey,
} from "./key-registry.ts";
import {
  KeyRegistryError,
  requireInstance,
  requireMember,
  requireOrganization,
  requireRole,
} from "./key-requirements.ts";

type Naming = {
  readonly name?: string | undefined;
  readonly expiresInDays?: number | undefined;
  readonly only?: readonly string[] | undefined;
  readonly actor: Actor;
};

export type KeyRequest = Naming &
  (
    | {
        readonly kind: "organization";
        readonly organization: string;
        readonly owner: string;
        readonly role: string;
      }
    | { readonly kind: "user"; readonly organization: string; readonly owner: string }
    | { readonly kind: "agentic"; readonly organization: string; readonly owner: string }
    | { readonly kind: "legacy"; readonly organization: string }
    | {
        readonly kind: "instance";
        readonly instanceId: string;
        /** The home organization's UUID. */
        readonly home: string;
        /** UUIDs. If omitted, the key reaches every organization of the instance. */
        readonly authorized?: readonly string[] | undefined;
        readonly owner: string;
        readonly role: string;
      }
  );

export async function createKey(deps: RegistryDeps, request: KeyRequest): Promise<IssuedKey> {
  return await retryOnConflict(deps, async () => {
    const home = request.kind === "instance" ? request.home : request.organization;
    const organization = await requireOrganization(deps.table, home);
    const issued = draftKeyItem(deps, {
      kind: request.kind,
      organization: organization.uuid,
      tenant: organization.tenant,
      name: request.name === undefined ? null : checkedKeyName(request.name),
      expires_at_ms: expiryOf(deps, request.expiresInDays),
      only: checkedOnly(request.kind, request.only),
      ...(await fieldsOfKind(deps.table, request, organization)),
    });
    const conditions = await keyConditions(deps.table, organization, issued.key);
    return await storeKey(deps, issued, { by: request, organization, action: "key.created", conditions });
  });
}

/** The fields that only this kind of key has. Throws if something that they name does not exist or is not allowed. */
async function fieldsOfKind(
  table: Table,
  request: KeyRequest,
  organization: OrganizationItem,
): Promise<Partial<KeyFields>> {
  if (request.kind === "legacy") return {};
  const { owner } = request;
  await requireMember(table, organization.uuid, owner);
  if (request.kind === "user" || request.kind === "agentic") return { owner };
  const { role } = request;
  await requireRole(table, organization.uuid, role);
  if (request.kind === "organization") return { owner, role };
  const { instanceId } = request;
  await requireInstance(table, instanceId, organization);
  const authorized = request.authorized ? [...new Set(request.authorized)] : null;
  if (request.authorized)
    await requireAuthorized(table, { instanceId, authorized: request.authorized }, organization);
  return { owner, role, instance_id: instanceId, authorized };
}

/** Checks the list of an instance key: its length, that it contains the home, and that all are of the same instance. */
async function requireAuthorized(
  table: Table,
  { instanceId, authorized }: { readonly instanceId: string; readonly authorized: readonly string[] },
  home: OrganizationItem,
): Promise<void> {
  const { authorizedOrganizationsMax: most } = keyLimits;
  if (authorized.length > most) {
    throw new KeyRegistryError(
      `A key names at most ${most} organizations; without a list it sees the whole instance.`,
    );
  }
  if (!authorized.includes(home.uuid)) {
    throw new KeyRegistryError(
      "The authorized organizations of an instance key must contain its home organization " +
        `${home.provider_organization_id}.`,
    );
  }
  for (const other of new Set(authorized))
    await requireInstance(table, instanceId, await requireOrganization(table, other));
}
