import * as z from "zod";
import { accessTypes, permissionResources, permissions } from "../access.ts";
import { peopleLimits } from "../limits.ts";
import { noLegacyKey, operation } from "../operation.ts";
import { choice, organizationSelector, roleIdParameter, text } from "../parameters.ts";
import { roleRecord } from "../records-people.ts";

const { roleNameCharactersMax, roleDescriptionCharactersMax } = peopleLimits;
const flag = choice(["true", "false"]).transform((value) => value === "true");

const shared = {
  tag: "Roles",
  keys: noLegacyKey,
  plan: "enterprise",
  organization: "required",
  instanceScope: "home",
  streaming: false,
} as const;
const reading = {
  ...shared,
  needs: "role_management:read",
  rateLimit: { bucket: "roles", requestsMax: 60, windowSeconds: 60, owner: "organization" },
  tableActions: [],
} as const;
const writing = {
  ...shared,
  needs: "admin",
  rateLimit: { bucket: "roles-write", requestsMax: 10, windowSeconds: 60, owner: "organization" },
  tableActions: ["PutItem", "UpdateItem"],
  tablePartitions: ["ORG#"],
} as const;

const query = z.strictObject({ ...organizationSelector });
const pathParameters = z.strictObject({ role_id: roleIdParameter });

const permission = z
  .strictObject({ resource_id: choice(permissionResources), access_type: choice(accessTypes) })
  .refine(
    ({ resource_id, access_type }) => permissions.some((known) => known === `${resource_id}:${access_type}`),
    {
      error: `is no permission that exists; those are: ${permissions.join(", ")}`,
    },
  );
const fields = {
  name: text(1, roleNameCharactersMax),
  description: text(0, roleDescriptionCharactersMax).nullable().optional(),
  is_default: z.boolean({ error: "must be true or false" }).optional(),
  permissions: z.array(permission, { error: "must be an array of permissions" }).optional(),
};

export const listRoles = operation({
  ...reading,
  id: "listRoles",
  source: "roles/list",
  method: "GET",
  path: "/v1/roles",
  summary: "List the roles of an organization",
  description: "System roles first, then custom ones by name.",
  query: query.extend({
    role_type: choice(["all", "system", "custom"]).optional(),
    include_permissions: flag.optional(),
    include_user_count: flag.optional(),
  }),
  answer: { status: 200, description: "The roles", schema: z.strictObject({ roles: z.array(roleRecord) }) },
  errors: [],
});

export const listPermissions = operation({
  ...reading,
  id: "listPermissions",
  source: "roles/permissions",
  method: "GET",
  path: "/v1/roles/permissions",
  summary: "List what permissions are made of",
  description: "Resources and access types; a permission is one of each, where it decides something.",
  query,
  answer: {
    status: 200,
    description: "Resources and access types",
    schema: z.strictObject({
      resource_ids: z.array(z.enum(permissionResources)),
      access_types: z.array(z.enum(accessTypes)),
    }),
  },
  errors: [],
});

export const getRole = operation({
  ...reading,
  id: "getRole",
  source: "roles/get",
  method: "GET",
  path: "/v1/roles/{role_id}",
  summary: "Read one role",
  description: "With its permissions and how many members have it.",
  pathParameters,
  query,
  answer: { status: 200, description: "The role", schema: roleRecord },
  errors: ["ROLE_NOT_FOUND"],
});

export const createRole = operation({
  ...writing,
  id: "createRole",
  source: "roles/create",
  method: "POST",
  path: "/v1/roles",
  summary: "Create a custom role",
  description: "With `permissions`, or those of `duplicate_from`; with neither it starts as `cr_member`.",
  query,
  body: z
    .strictObject({ ...fields, duplicate_from: roleIdParameter.optional(), ...organizationSelector })
    .refine(({ permissions: own, duplicate_from }) => own === undefined || duplicate_from === undefined, {
      error: "must not be sent together with permissions",
      path: ["duplicate_from"],
    }),
  answer: { status: 201, description: "The role", schema: roleRecord },
  errors: ["ROLE_NOT_FOUND", "ROLE_NAME_TAKEN", "ROLE_LIMIT_REACHED"],
});

export const updateRole = operation({
  ...writing,
  id: "updateRole",
  source: "roles/update",
  method: "PATCH",
  path: "/v1/roles/{role_id}",
  summary: "Change a custom role",
  description: "Only the fields that are sent change.",
  pathParameters,
  query,
  body: z.strictObject({ ...fields, name: fields.name.optional(), ...organizationSelector }),
  answer: { status: 200, description: "The role", schema: roleRecord },
  /** A change that the people guard need not follow still checks that the role is there. */
  tableActions: [...writing.tableActions, "ConditionCheckItem"],
  errors: ["ROLE_NOT_FOUND", "ROLE_NAME_TAKEN", "SYSTEM_ROLE"],
});

export const deleteRole = operation({
  ...writing,
  id: "deleteRole",
  source: "roles/delete",
  method: "DELETE",
  path: "/v1/roles/{role_id}",
  summary: "Delete a custom role",
  description: "Refused while a member has it.",
  pathParameters,
  query,
  answer: { status: 204, description: "It is gone" },
  tableActions: ["UpdateItem", "DeleteItem"],
  errors: ["ROLE_NOT_FOUND", "ROLE_IN_USE", "SYSTEM_ROLE"],
});
