import * as z from "zod";
import { accessTypes, permissionResources, permissions } from "../access.ts";
import { batchOf, dryRun, roleChangesLimit, userIdsWords } from "../batches.ts";
import { holdsKey } from "../key-forms.ts";
import { peopleLimits } from "../limits.ts";
import { noLegacyKey, operation } from "../operation.ts";
import {
  choice,
  flagParameter,
  identifier,
  notBlank,
  organizationSelector,
  roleIdParameter,
  text,
  visibleText,
} from "../parameters.ts";
import { permissionWords, roleRecord, rolesChangeAnswer, roleWords } from "../records-people.ts";

const { roleNameCharactersMax, roleDescriptionCharactersMax } = peopleLimits;

const shared = {
  tag: "Roles",
  keys: noLegacyKey,
  plan: "enterprise",
  organization: "required",
  instanceScope: "home",
} as const;
const reading = {
  ...shared,
  only: "roles:read",
  needs: "role_management:read",
  rateLimit: { bucket: "roles", requestsMax: 60, windowSeconds: 60, owner: "organization" },
} as const;
const writing = {
  ...shared,
  only: "roles:write",
  needs: "admin",
  rateLimit: { bucket: "roles-write", requestsMax: 10, windowSeconds: 60, owner: "organization" },
  writes: { put: ["role"], update: ["role", "people"], rights: ["people"] },
} as const;

const query = z.strictObject({ ...organizationSelector });
const pathParameters = z.strictObject({
  role_id: roleIdParameter.describe("`id` of a custom role: its UUID. A system role cannot be changed: 409."),
});

const permission = z
  .strictObject(
    {
      resource_id: choice(permissionResources).describe(permissionWords.resource),
      access_type: choice(accessTypes).describe(permissionWords.access),
    },
    { error: 'must be an object such as {"resource_id": "learning", "access_type": "read"}' },
  )
  .refine(
    ({ resource_id, access_type }) => permissions.some((known) => known === `${resource_id}:${access_type}`),
    {
      error: `is no permission that exists; those are: ${permissions.join(", ")}`,
    },
  );
/** The blank Braille pattern is no space in Unicode, but invisible too; other spaces are trimmed at the ends. */
const blank = /^[\p{Zs}\u2800]*$/u;
const roleName = visibleText(1, roleNameCharactersMax, (name) => name.normalize("NFC"))
  .refine((name) => !blank.test(name), { error: "must contain a visible character" })
  .refine((name) => !holdsKey(name), { error: "must not contain a key or a token" })
  .meta({
    type: "string",
    minLength: 1,
    maxLength: roleNameCharactersMax,
    pattern: notBlank,
    limits:
      "Stored in NFC. At least one visible character, no control characters, no invisible formatting characters and no key.",
  });

const fields = {
  name: roleName.describe(roleWords.name),
  description: text(0, roleDescriptionCharactersMax).nullable().optional().describe(roleWords.description),
  is_default: z.boolean({ error: "must be true or false" }).optional().describe(roleWords.isDefault),
  permissions: z
    .array(permission, { error: "must be an array of permissions" })
    .max(permissions.length, { error: `must have at most ${permissions.length} elements: more do not exist` })
    .optional(),
};
const whatItAllows = {
  ofCreated:
    "What the role allows. Repeated permissions count once. Without it and without `duplicate_from` the role gets those " +
    "of `cr_member`.",
  ofUpdated:
    "What the role allows. Repeated permissions count once. Left out of the request, they stay as they are.",
};
const defaultOfUpdated =
  "Whether new members without a role get it; at most one role. Left out, it stays as it is.";
const flags = {
  include_permissions: flagParameter
    .optional()
    .describe(
      "Whether roles come with their permissions; unless given, `false` in the list and `true` for one role.",
    ),
  include_user_count: flagParameter
    .optional()
    .describe("Whether roles come with the number of their members; `true` unless given."),
};
const { permissions: allowed, is_default: isDefault } = roleRecord.shape;

export const listRoles = operation({
  ...reading,
  id: "listRoles",
  source: "roles/list",
  method: "GET",
  path: "/v1/roles",
  summary: "List the roles of an organization",
  description: "System roles come first, then custom roles by name.",
  query: query.extend({
    role_type: choice(["all", "system", "custom"])
      .optional()
      .describe("All roles (default `all`), or only one type."),
    ...flags,
  }),
  answer: {
    status: 200,
    description: "The roles",
    schema: z.strictObject({
      roles: z
        .array(
          roleRecord.extend({
            permissions: allowed.describe(
              "What the role allows. Left out without `include_permissions=true`.",
            ),
          }),
        )
        .describe("The roles, system ones first."),
    }),
  },
});

export const listPermissions = operation({
  ...reading,
  id: "listPermissions",
  source: "roles/permissions",
  method: "GET",
  path: "/v1/roles/permissions",
  summary: "List the parts of permissions",
  description: "A permission is a resource and an access type. Not every combination exists.",
  query,
  answer: {
    status: 200,
    description: "Resources and access types",
    schema: z.strictObject({
      resource_ids: z.array(z.enum(permissionResources)).describe("What permissions can be about."),
      access_types: z.array(z.enum(accessTypes)).describe("What they can allow."),
    }),
  },
});

export const getRole = operation({
  ...reading,
  id: "getRole",
  source: "roles/get",
  method: "GET",
  path: "/v1/roles/{role_id}",
  summary: "Read one role",
  description: "With its permissions and the number of members who have it, unless a flag leaves them out.",
  pathParameters: z.strictObject({
    role_id: roleIdParameter.describe("`id` of the role: a system role's name, or the UUID of a custom one."),
  }),
  query: query.extend(flags),
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
  description:
    "The role gets `permissions`, or those of the role `duplicate_from`, or without both those of `cr_member`.",
  query,
  body: z
    .strictObject({
      ...fields,
      permissions: fields.permissions.describe(whatItAllows.ofCreated),
      duplicate_from: roleIdParameter
        .optional()
        .describe(
          "The id of a role whose permissions the new one starts with; not together with `permissions`.",
        ),
      ...organizationSelector,
    })
    .refine(({ permissions: own, duplicate_from }) => own === undefined || duplicate_from === undefined, {
      error: "must not be sent together with permissions",
      path: ["duplicate_from"],
    }),
  answer: {
    status: 201,
    description: "The role",
    schema: roleRecord.extend({ permissions: allowed.describe(whatItAllows.ofCreated) }),
  },
  errors: ["ROLE_NOT_FOUND", "ROLE_NAME_TAKEN", "ROLE_LIMIT_REACHED"],
});

export const updateRole = operation({
  ...writing,
  id: "updateRole",
  source: "roles/update",
  method: "PATCH",
  path: "/v1/roles/{role_id}",
  summary: "Change a custom role",
  description: "Only the fields that you send change.",
  pathParameters,
  query,
  body: z.strictObject({
    ...fields,
    name: fields.name.optional(),
    is_default: fields.is_default.describe(defaultOfUpdated),
    permissions: fields.permissions.describe(whatItAllows.ofUpdated),
    ...organizationSelector,
  }),
  answer: {
    status: 200,
    description: "The role",
    schema: roleRecord.extend({
      is_default: isDefault.describe(defaultOfUpdated),
      permissions: allowed.describe(whatItAllows.ofUpdated),
    }),
  },
  /** A change that does not affect the people guard still checks that the role exists. */
  checks: ["role", "people"],
  errors: ["ROLE_NOT_FOUND", "ROLE_NAME_TAKEN", "SYSTEM_ROLE"],
});

export const deleteRole = operation({
  ...writing,
  id: "deleteRole",
  source: "roles/delete",
  method: "DELETE",
  path: "/v1/roles/{role_id}",
  summary: "Delete a custom role",
  description: "The request is refused while a member or an active key has the role.",
  pathParameters,
  query,
  answer: { status: 204, description: "The role is deleted" },
  writes: { update: ["role", "people"], delete: ["role"], rights: ["people"] },
  errors: ["ROLE_NOT_FOUND", "ROLE_IN_USE", "SYSTEM_ROLE"],
});

export const giveRole = operation({
  ...writing,
  id: "giveRole",
  source: "roles/give",
  method: "POST",
  path: "/v1/roles/{role_id}/users",
  summary: "Give a custom role to up to 500 users",
  description:
    "Responds like `POST /v1/users/roles`, which gives the system roles, and counts in the same window. Instance keys " +
    "act on their home organization. `dry_run` returns what would happen and changes nothing.",
  pathParameters,
  query,
  body: z.strictObject({
    user_ids: batchOf(identifier).describe(userIdsWords),
    dry_run: dryRun,
    ...organizationSelector,
  }),
  batch: { fields: ["user_ids"], elementsMax: peopleLimits.batchUsersMax },
  answer: { status: 200, description: "The result for each user", schema: rolesChangeAnswer },
  rateLimit: roleChangesLimit,
  writes: { update: ["member", "people"], rights: ["member"] },
  errors: ["BATCH_SIZE_EXCEEDED", "ROLE_NOT_FOUND", "SYSTEM_ROLE"],
});

/** In the order of the reference. */
export const roleOperations = [
  listRoles,
  listPermissions,
  getRole,
  createRole,
  updateRole,
  deleteRole,
  giveRole,
] as const;
