import * as z from "zod";
import { keyKinds, metricsStates, plans, providers } from "./access.ts";
import { type FieldWords, timestamp, uuid } from "./records.ts";

export const organizationRecord = z.strictObject({
  id: uuid,
  name: z.string(),
  provider: z.enum(providers),
  provider_organization_id: z.string(),
});

export const repositoryRecord = z.strictObject({
  id: uuid,
  provider_repository_id: z.string(),
  name: z.string(),
  full_name: z.string(),
  private: z.boolean().nullable(),
  url: z.string(),
});

export const organizationWords: FieldWords = {
  organizations: "The organizations of this page.",
  "organizations.id": "The service's UUID of the organization. Use it in the path of the repositories list.",
  "organizations.name": "The organization's name.",
  provider_organization_id: "The Git provider's id of the organization. Use it as `org_id`, not in a path.",
  repositories: "The active repositories of this page.",
  "repositories.id": "The service's UUID of the repository.",
  provider_repository_id: "The Git provider's id of the repository. Use it in filters.",
  "repositories.name": "The short name.",
  full_name: "The name with its owner.",
  private: "Whether only members can see it; null where that is unknown.",
  url: "The repository's address.",
};

/** What decides whether an organization is in reads over several organizations. */
const reachedOrganization = z.strictObject({
  ...organizationRecord.shape,
  plan: z.enum(plans),
  metrics: z.enum(metricsStates),
});

export const whoamiRecord = z.strictObject({
  key: z.strictObject({
    id: z.string(),
    kind: z.enum(keyKinds),
    name: z.string().nullable(),
    expires_at: timestamp.nullable(),
    only: z.array(z.string()).nullable(),
    made_by: z.string().nullable(),
  }),
  scope: z.strictObject({
    tenant: z.enum(["workspace", "instance", "organization"]),
    tenant_id: z.string(),
    /** For an instance key: the organization that the operations on people, seats and roles act on. */
    home: organizationRecord.nullable(),
    organizations: z.array(reachedOrganization),
  }),
  user_id: z.string().nullable(),
  role: z.string().nullable(),
  permissions: z.array(z.string()),
});

export const whoamiWords: FieldWords = {
  "whoami: key": "The key of the request, never its value.",
  scope: "What the key reaches.",
  tenant: "Whether the key belongs to a workspace, an instance or an organization.",
  tenant_id: "The id of that workspace or instance, or the Git provider's id of the organization.",
  home: "For an instance key: the organization that operations on people, seats and roles act on; null for other kinds.",
  plan: "The plan; reads over several organizations leave out those that are not on `enterprise`.",
  metrics: "Whether the metrics of the organization can be read.",
  "home.id": "The service's UUID of the organization.",
  "home.name": "The organization's name.",
  user_id: "The Git provider's id of the user that it acts as; null for none.",
  "whoami: role":
    "The id of the role that the key acts with, its own or its member's; null where it has none.",
  permissions: "What the key may do: permissions of its role that its kind can use.",
};
