/**
 * Every action of an audit entry: a closed list. The API's filter, the OpenAPI document and the guide are generated
 * from it. An action that was ever stored stays in it.
 */
export const auditActionNames = [
  "key.created",
  "key.rotated",
  "key.revoked",
  "key.refused",
  "token.created",
  "token.rotated",
  "token.deleted",
  "learning.created",
  "learning.promoted",
  "learning.updated",
  "learning.deleted",
  "learning.approved",
  "learning.disapproved",
  "seats.assigned",
  "seats.unassigned",
  "roles.changed",
  "role.created",
  "role.updated",
  "role.deleted",
  "member.removed",
  "workspace.admins_changed",
  "organization.settings_changed",
  "organization.moved",
  "organization.deactivated",
  "repository.settings_changed",
  "event.dropped",
  "webhook.created",
  "webhook.updated",
  "webhook.rotated",
  "webhook.deleted",
  "webhook.disabled",
] as const;

/**
 * An entry is written when the service learns of a change. Entries of platform events have `occurred_at`, because an
 * event may arrive long after the change. Days and timestamps compare as text.
 */
export const happenedBefore = (metadata: Readonly<Record<string, unknown>>, since: string): boolean =>
  typeof metadata.occurred_at === "string" && metadata.occurred_at < since;

/** When an entry's change happened, as a timestamp. */
export const happenedAt = (entry: {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}): string =>
  typeof entry.metadata.occurred_at === "string" ? entry.metadata.occurred_at : entry.created_at;

/**
 * The people in an entry about seats, in the form of `namesOfHolder`. Entries name people by e-mail address or by user
 * id, and an id does not say which it is: a user id may look like an address. `organization` is null for an entry of a
 * whole tenant.
 */
export const namesInSeatEntry = (
  { ids }: Readonly<Record<string, unknown>>,
  organization: string | null,
): string[] =>
  (Array.isArray(ids) ? ids.map(String) : []).flatMap((id) => [byEmail(id), byUserId(organization, id)]);

type Holder = {
  readonly email: string | null;
  readonly memberships: ReadonlyArray<{ readonly organization: string; readonly user_id: string }>;
};

/** Every name by which an entry about seats may call a person. */
export const namesOfHolder = ({ email, memberships }: Holder): string[] => [
  ...(email === null ? [] : [byEmail(email)]),
  ...memberships.flatMap(({ organization, user_id }) => [
    byUserId(organization, user_id),
    byUserId(null, user_id),
  ]),
];

const byEmail = (email: string): string => JSON.stringify(["email", email.toLowerCase()]);
const byUserId = (organization: string | null, userId: string): string =>
  JSON.stringify([organization, userId]);

export type AuditAction = (typeof auditActionNames)[number];

/** For the guide. */
export const auditActionMeanings: Readonly<Record<AuditAction, string>> = {
  "key.created": "A key was created.",
  "key.rotated": "A key got a new value; the old value works until its grace period ends.",
  "key.revoked": "A key was revoked.",
  "key.refused": "A request with a real key was refused.",
  "token.created": "A workspace token was created.",
  "token.rotated": "A workspace token got a new value; the old value works until its grace period ends.",
  "token.deleted": "A workspace token was deleted.",
  "learning.created": "Learnings were created.",
  "learning.promoted": "Private, pending or disapproved Learnings became shared and approved.",
  "learning.updated": "A Learning was changed.",
  "learning.deleted": "A Learning was deleted.",
  "learning.approved": "A pending Learning was approved.",
  "learning.disapproved": "A pending Learning was disapproved.",
  "seats.assigned": "People got a seat.",
  "seats.unassigned": "People lost their seat.",
  "roles.changed": "Members got another role.",
  "role.created": "A custom role was created.",
  "role.updated": "A custom role was changed.",
  "role.deleted": "A custom role was deleted.",
  "member.removed": "A member left the organization.",
  "workspace.admins_changed": "The admins of the workspace changed.",
  "organization.settings_changed": "Settings of an organization were changed.",
  "organization.moved": "An organization moved to another workspace, or left its workspace.",
  "organization.deactivated": "An organization was deactivated: its keys stop working.",
  "repository.settings_changed": "Settings of a repository were changed.",
  "event.dropped": "The operator removed a platform event that waited or had failed; it is not applied.",
  "webhook.created": "A webhook was created.",
  "webhook.updated": "A webhook was changed, or switched on or off.",
  "webhook.rotated": "The secret of a webhook was replaced; the old secret also signs for 24 hours.",
  "webhook.deleted": "A webhook was deleted.",
  "webhook.disabled": "The service disabled a webhook that did not respond.",
};

/** The types of resources that entries are about. */
export const auditResourceTypes = [
  "api_key",
  "workspace_token",
  "learning",
  "seat",
  "member",
  "role",
  "workspace",
  "organization",
  "repository",
  "event",
  "webhook",
] as const;

export type AuditResourceType = (typeof auditResourceTypes)[number];
