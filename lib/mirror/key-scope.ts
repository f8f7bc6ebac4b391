import type { Client } from "../client/client.ts";

/** Which records a key reads. Another key of the same scope reads the same. */
export type KeyScope = {
  readonly id: string;
  /** Shown to people. */
  readonly label: string;
};

export async function keyScopeOf(client: Pick<Client, "whoami">): Promise<KeyScope> {
  const { key, scope, user_id } = (await client.whoami()).body;
  const { tenant, tenant_id, organizations } = scope;
  const [organization] = organizations;
  if (tenant !== "organization" || !organization)
    return { id: `${tenant}:${tenant_id}`, label: `${tenant} ${tenant_id}` };
  const { id, provider, provider_organization_id } = organization;
  const owner = `organization ${provider}:${provider_organization_id} (${id})`;
  // A user key reads only what its member can read.
  return key.kind === "user"
    ? { id: `organization:${id}:user:${user_id}`, label: `user ${user_id} of ${owner}` }
    : { id: `organization:${id}`, label: owner };
}
