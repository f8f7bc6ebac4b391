import * as z from "zod";
import { pageLimits } from "../limits.ts";
import { noLegacyKey, operation } from "../operation.ts";
import { organizationSelector, organizationsFilter, pageParameters, uuidParameter } from "../parameters.ts";
import { pageAnswer } from "../records.ts";
import { organizationRecord, repositoryRecord } from "../records-organizations.ts";

export const listOrganizations = operation({
  id: "listOrganizations",
  source: "organizations/list",
  method: "GET",
  path: "/v1/organizations",
  tag: "Organizations",
  only: "organizations:read",
  summary: "List the organizations that the key can see",
  description:
    "An organization key gets its own organization, a workspace token every active organization of the workspace, an " +
    "instance key the organizations that it is authorized for. The cursor keeps the page size of the first request.",
  query: z.strictObject({
    ...pageParameters(pageLimits.organizations),
    ...organizationSelector,
    ...organizationsFilter,
  }),
  answer: pageAnswer("One page of organizations", {
    organizations: z.array(organizationRecord).describe("The organizations of this page."),
  }),
  keys: noLegacyKey,
  plan: "enterprise_somewhere",
  needs: "organization_management:read",
  organization: "refused",
  instanceScope: "authorized",
  rateLimit: { bucket: "organizations", requestsMax: 10, windowSeconds: 60, owner: "quota" },
  paging: { bindsPageSize: true, resumable: false, defaultSize: pageLimits.organizations.default },
});

export const listRepositories = operation({
  id: "listRepositories",
  source: "organizations/repositories",
  method: "GET",
  path: "/v1/organizations/{organization_id}/repositories",
  tag: "Organizations",
  only: "organizations:read",
  summary: "List the active repositories of an organization",
  description:
    "The path takes the service's UUID (`id` of the organizations list), not the Git provider's id.",
  pathParameters: z.strictObject({
    organization_id: uuidParameter(
      "must be a UUID: use `id` from GET /v1/organizations, not the Git provider's id",
    ).describe("`id` of the organization, as `GET /v1/organizations` returns it; not the Git provider's id."),
  }),
  query: z.strictObject({ ...pageParameters(pageLimits.repositories), ...organizationSelector }),
  answer: pageAnswer("One page of repositories", {
    repositories: z.array(repositoryRecord).describe("The active repositories of this page."),
  }),
  keys: noLegacyKey,
  plan: "enterprise",
  needs: "organization_management:read",
  organization: "refused",
  instanceScope: "authorized",
  rateLimit: { bucket: "repositories", requestsMax: 60, windowSeconds: 60, owner: "quota" },
  paging: { bindsPageSize: true, resumable: false, defaultSize: pageLimits.repositories.default },
  errors: ["ORGANIZATION_NOT_FOUND"],
});

/** In the order of the reference. */
export const organizationOperations = [listOrganizations, listRepositories] as const;
