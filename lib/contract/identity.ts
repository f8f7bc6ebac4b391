import { v5 } from "uuid";

/** The published namespace of every UUID that is derived, not random. It never changes. */
export const identityNamespace = "7d0f3a52-6c1e-4b8a-9f27-3e5b1c94d860";

/** How the platform names an organization: self-hosted instances reuse ids, so all three are needed. */
export type OrganizationName = {
  readonly provider: string;
  readonly instance_id: string | null;
  readonly provider_organization_id: string;
};

export const organizationUuid = ({
  provider,
  instance_id,
  provider_organization_id,
}: OrganizationName): string =>
  v5(JSON.stringify([provider, instance_id, provider_organization_id]), identityNamespace);

export const repositoryUuid = (organization: string, repositoryId: string): string =>
  v5(JSON.stringify([organization, repositoryId]), identityNamespace);
