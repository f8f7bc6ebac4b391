import * as z from "zod";
import { metricsStates, plans } from "./access.ts";
import { provider, timestamp, uuid } from "./records.ts";
import { keyRecord } from "./records-keys.ts";

export const organizationRecord = z.strictObject({
  id: uuid.describe("The service's UUID of the organization. Use it in the path of the repositories list."),
  name: z.string().describe("The organization's name."),
  provider,
  provider_organization_id: z
    .string()
    .describe("The Git provider's id of the organization. Use it as `org_id`, not in a path."),
});

export const repositoryRecord = z.strictObject({
  id: uuid.describe("The service's UUID of the repository."),
  provider_repository_id: z.string().describe("The Git provider's id of the repository. Use it in filters."),
  name: z.string().describe("The short name."),
  full_name: z.string().describe("The name with its owner."),
  private: z.boolean().nullable().describe("Whether only members can see it; null where that is unknown."),
  url: z.string().describe("The repository's address."),
});

/** What decides whether an organization is in reads over several organizations. */
const reachedOrganization = z.strictObject({
  ...organizationRecord.shape,
  plan: z
    .enum(plans)
    .describe("The plan; reads over several organizations leave out those that are not on `enterprise`."),
  metrics: z.enum(metricsStates).describe("Whether the metrics of the organization can be read."),
});

export const whoamiRecord = z.strictObject({
  key: keyRecord
    .pick({ id: true, kind: true, name: true, expires_at: true, only: true, made_by: true })
    .extend({
      value_until: timestamp
        .nullable()
        .describe(
          "When the value of this request ends, UTC, because the key was rotated; null for its current value.",
        ),
    })
    .describe("The key of the request, never its value."),
  scope: z
    .strictObject({
      tenant: z
        .enum(["workspace", "instance", "organization"])
        .describe("Whether the key belongs to a workspace, an instance or an organization."),
      tenant_id: z
        .string()
        .describe("The id of that workspace or instance, or the Git provider's id of the organization."),
      home: organizationRecord
        .extend({ id: uuid.describe("The service's UUID of the organization.") })
        .nullable()
        .describe(
          "For an instance key: the organization that operations on people, seats and roles act on; null for other kinds.",
        ),
      organizations: z
        .array(reachedOrganization)
        .describe("The organizations within the key's reach; null for all of its workspace or instance."),
    })
    .describe("What the key reaches."),
  user_id: z
    .string()
    .nullable()
    .describe("The Git provider's id of the user that it acts as; null for none."),
  role: z
    .string()
    .nullable()
    .describe("The id of the role that the key acts with, its own or its member's; null where it has none."),
  permissions: z
    .array(z.string())
    .describe("What the key may do: permissions of its role that its kind can use."),
});
