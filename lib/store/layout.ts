/**
 * The single table, written down once: every kind of item, its keys, and an example.
 *
 * | Item                    | pk                           | sk                     | example                                    |
 * |-------------------------|------------------------------|------------------------|--------------------------------------------|
 * | API key                 | KEY#<key id>                 | KEY                    | KEY#k7f3q2… / KEY                          |
 * | last use of a key       | USED#<key id>                | USED                   | USED#k7f3q2… / USED                        |
 * | organization            | ORG#<org uuid>               | ORG                    | ORG#6f1c… / ORG                            |
 * | people guard            | PEOPLE#<org uuid>            | PEOPLE                 | PEOPLE#6f1c… / PEOPLE                      |
 * | member                  | MEMBERS#<org uuid>           | MEMBER#<user id>       | MEMBERS#6f1c… / MEMBER#4411                |
 * | member's repositories   | ORG#<org uuid>               | READS#<user id>        | ORG#6f1c… / READS#4411                     |
 * | repository              | ORG#<org uuid>               | REPO#<repository id>   | ORG#6f1c… / REPO#9001                      |
 * | team                    | TEAMS#<org uuid>             | TEAM#<team id>         | TEAMS#6f1c… / TEAM#77                      |
 * | tagged the reviewer     | ORG#<org uuid>               | TAGGED#<user id>       | ORG#6f1c… / TAGGED#4411                    |
 * | organization that moves | MOVING                       | <org uuid>             | MOVING / 6f1c…                             |
 * | audit log that moves    | MOVING-LOG                   | <org uuid>             | MOVING-LOG / 6f1c…                         |
 * | custom role             | ROLES#<org uuid>             | ROLE#<role id>         | ROLES#6f1c… / ROLE#0d5e…                   |
 * | workspace or instance   | TENANT#<tenant>              | TENANT                 | TENANT#w#acme / TENANT                     |
 * | organization of tenant  | ORGS#<tenant>                | ORG#<org uuid>         | ORGS#w#acme / ORG#6f1c…                    |
 * | epochs of its scope     | ORGS#<tenant>                | ORG#!EPOCHS            | ORGS#w#acme / ORG#!EPOCHS                  |
 * | organization that left  | ORGS#<tenant>                | LEFT#<org uuid>        | ORGS#w#acme / LEFT#6f1c…                   |
 * | organization directory  | DIRECTORY#ORG                | <provider id>#<uuid>   | DIRECTORY#ORG / 1001#6f1c…                 |
 * | key directory           | DIRECTORY#KEY                | <key id>               | DIRECTORY#KEY / k7f3q2…                    |
 * | key of organization     | KEYS#o#<org uuid>            | KEY#<key id>           | KEYS#o#6f1c… / KEY#k7f3q2…                 |
 * | key of tenant           | KEYS#<tenant>                | KEY#<key id>           | KEYS#w#acme / KEY#k7f3q2…                  |
 * | rate limit bucket       | LIMIT#<bucket>#<owner>       | SLOTS                  | LIMIT#organizations#w#acme / SLOTS         |
 * | cursor keys             | CURSOR-KEYS                  | CURSOR-KEYS            | CURSOR-KEYS / CURSOR-KEYS                  |
 * | waiting event           | WAITING#<dependency>         | <version>              | WAITING#ORG#6f1c…/ORG / 2026-11-01T…#0b9e… |
 * | waiting, by age         | WAITING                      | <since>#<event id>     | WAITING / 2026-11-02T…#0b9e…               |
 * | further part of reads   | ORG#<org uuid>               | READS#<user id>#<part> | ORG#6f1c… / READS#4411#01                  |
 * | seat pool of workspace  | SEATS#w#<workspace>          | SEATS                  | SEATS#w#acme / SEATS                       |
 * | person of a workspace   | SEATS#w#<workspace>          | PERSON#<person>        | SEATS#w#acme / PERSON#mail#ann@acme.test   |
 * | person of another org   | SEATS#o#<org uuid>           | PERSON#<person>        | SEATS#o#6f1c… / PERSON#user#6f1c…#4411     |
 * | refusal of a key        | REFUSED#<key id>             | <reason>               | REFUSED#k7f3q2… / NOT_ADMIN                |
 * | audit entry             | AUDIT#<tenant>#<month>       | <time>#<entry id>      | AUDIT#w#acme#2026-11 / 2026-11-15T…#5d…    |
 * | owed copies of an entry | OWED                         | <time>#<entry id>#<n>  | OWED / 2026-11-15T…#5d…#0                  |
 * | stream head             | S#<tenant>                   | HEAD                   | S#w#acme / HEAD                            |
 * | entry, tenant's copy    | S#<tenant>#<dataset>#<week>  | <number, 10 digits>    | S#w#acme#c#1401 / 0000004711               |
 * | entry, organization's   | S#<tenant>#<org uuid>#…      | <number, 10 digits>    | S#w#acme#6f1c…#c#1401 / 0000004711         |
 * | removal, tenant's copy  | S#<tenant>#<dataset>#removed | <number, 10 digits>    | S#w#acme#c#removed / 0000004712            |
 * | removal, organization's | S#<tenant>#<org uuid>#…      | <number, 10 digits>    | S#w#acme#6f1c…#c#removed / 0000004712      |
 * | pull request (pointer)  | PR#<org uuid>                | <digest of identity>   | PR#6f1c… / k3Jq0aV-8xTz1bQe                |
 * | spill of a large entry  | SPILL#<org uuid>             | <spill id>             | SPILL#6f1c… / 0b9e…                        |
 * | part of a spill         | PART#<spill id>#<index>      | PART                   | PART#0b9e…#0000 / PART                     |
 * | repair in progress      | REPAIR                       | <part of the run>      | REPAIR / SEGMENT#03                        |
 * | findings of repository  | SCANS#<org uuid>             | <digest of its id>     | SCANS#6f1c… / Qm3x0aV-8xTz1bQe             |
 * | chunk of its findings   | FINDINGS#<org uuid>#<digest> | <chunk id>             | FINDINGS#6f1c…#Qm3x… / 0b9e…               |
 * | Learning                | LEARNING#<org uuid>          | <Learning id>          | LEARNING#6f1c… / 3f0a…                     |
 * | owner of a text         | TEXT#<org uuid>              | <digest of text>       | TEXT#6f1c… / qL0v…                         |
 * | Learning in the export  | LEARNINGS#<owner>            | <time>#<nn>#<id>       | LEARNINGS#w#acme / 2026-11-15T…#00#3f0a…   |
 * | old place of a Learning | LEARNINGS#<owner>            | <time>#<nn>#<id>       | LEARNINGS#w#acme / 2026-11-14T…#00#3f0a…   |
 * | removal of a Learning   | LEARNINGS#<owner>#removed    | <time>#<nn>#<id>       | LEARNINGS#w#acme#removed / 2026-11-15T…    |
 * | waits for approval      | PENDING                      | <deadline>#<org>#<id>  | PENDING / 2026-11-20T…#6f1c…#3f0a…         |
 * | pending, by organization| PENDING#<org uuid>           | <deadline>#<org>#<id>  | PENDING#6f1c… / 2026-11-20T…#6f1c…#3f0a…   |
 * | pull request's Learnings| PRIVATE#<org uuid>           | <digest of pr_url>     | PRIVATE#6f1c… / 8xTz…                      |
 * | vector of a Learning    | VECTOR#<org uuid>            | <Learning id>[#<piece>]| VECTOR#6f1c… / 3f0a…                       |
 * | to be indexed           | STALE#<shard>                | <org>#<id>#<revision>  | STALE#07 / 6f1c…#3f0a…#51d2…               |
 * | event applied once      | APPLIED#<event id>           | APPLIED                | APPLIED#0b9e… / APPLIED                    |
 * | Learnings to be listed  | RELIST                       | <time>#<org uuid>      | RELIST / 2026-11-15T…#6f1c…                |
 * | failed tries of an event| TRIES#<message id>           | TRIES                  | TRIES#0b9e… / TRIES                        |
 * | reconciler's place      | RECONCILER                   | INDEX                  | RECONCILER / INDEX                         |
 * | sweeper's place         | SWEEPER                      | SPILLS                 | SWEEPER / SPILLS                           |
 * | reconciler's markers    | RECONCILER                   | MARKERS                | RECONCILER / MARKERS                       |
 * | webhook                 | WEBHOOKS#<shard>             | <owner>#<webhook id>   | WEBHOOKS#07 / w#acme#0d5e…                 |
 * | number of webhooks      | WEBHOOKS#<shard>             | <owner>#!COUNT         | WEBHOOKS#07 / w#acme#!COUNT                |
 * | secrets of a webhook    | WEBHOOK-SECRETS#<webhook id> | SECRETS                | WEBHOOK-SECRETS#0d5e… / SECRETS            |
 * | key of the secrets      | WEBHOOK-KEY                  | WEBHOOK-KEY            | WEBHOOK-KEY / WEBHOOK-KEY                  |
 * | request made once       | ONCE#<key id>                | <operation>#<value>    | ONCE#k7f3q2… / createWebhook#0d5e…         |
 * | attempt of a delivery   | DELIVERIES#<webhook id>      | <time>#<ring>#<n>      | DELIVERIES#0d5e… / 2026-11-15T…#ring_8x…#00|
 * | news for webhooks       | NEWS#<tenant>                | <time>#<org uuid>#<id> | NEWS#w#acme / 2026-11-15T…#6f1c…#3f0a…     |
 */
import type { Key } from "./table.ts";

/** Ids come from Git providers and may hold any character; `#` separates the parts of our keys. */
export const escapeKeyPart = (id: string): string => id.replaceAll("%", "%25").replaceAll("#", "%23");

/**
 * A sort key in the form that cursors hold: `escapeKeyPart` turns a `#` or a `%` into three bytes, and here each
 * becomes one byte again. The separator of the parts becomes NUL, which no id holds.
 */
export const packSortKey = (sk: string): string =>
  sk.replace(/%23|%25|#/g, (found) => (found === "#" ? "\u0000" : found === "%23" ? "#" : "%"));
export const unpackSortKey = (packed: string): string => escapeKeyPart(packed).replaceAll("\u0000", "#");

/** `w#<workspace>`, `i#<instance>` or `o#<organization uuid>`: part of the partition key of every tenant-wide item. */
export type TenantKey = `${"w" | "i" | "o"}#${string}`;

export type WorkspaceTenant = `w#${string}`;

export const workspaceTenant = (workspaceId: string): WorkspaceTenant => `w#${escapeKeyPart(workspaceId)}`;
export const instanceTenant = (instanceId: string): TenantKey => `i#${escapeKeyPart(instanceId)}`;
export const organizationTenant = (organizationUuid: string): `o#${string}` => `o#${organizationUuid}`;

export const isWorkspaceTenant = (tenant: TenantKey): tenant is WorkspaceTenant => tenant.startsWith("w#");
/** A stand-alone organization is its own tenant. */
export const isOrganizationTenant = (tenant: TenantKey): tenant is `o#${string}` => tenant.startsWith("o#");
/** For a caller or a pool that must be a workspace's. */
export function requireWorkspaceTenant(tenant: TenantKey): WorkspaceTenant {
  if (!isWorkspaceTenant(tenant)) throw new TypeError(`${tenant} is not a workspace.`);
  return tenant;
}

// IAM can restrict a role to partitions, not to sort keys. So kinds of items that different functions write are in
// different partitions: a function that gives seats cannot write a member, a role or an organization.
const organizationPartition = (organizationUuid: string) => `ORG#${organizationUuid}`;
const membersPartition = (organizationUuid: string) => `MEMBERS#${organizationUuid}`;
const rolesPartition = (organizationUuid: string) => `ROLES#${organizationUuid}`;
const tenantOrganizationsPartition = (tenant: TenantKey) => `ORGS#${tenant}`;
const keyRowsPartition = (owner: TenantKey) => `KEYS#${owner}`;

/** The tenant whose organizations the partition lists, for repairs: undefined for every other partition. */
export const tenantOfPartition = (pk: string): TenantKey | undefined => {
  const tenant = pk.slice("ORGS#".length);
  return pk.startsWith("ORGS#") && isTenantKey(tenant) ? tenant : undefined;
};

export const apiKeyKey = (keyId: string): Key => ({ pk: `KEY#${keyId}`, sk: "KEY" });
/** Not in the key's own partition: every function writes it, and no function may write a key for that. */
export const keyUseKey = (keyId: string): Key => ({ pk: `USED#${keyId}`, sk: "USED" });
export const organizationKey = (uuid: string): Key => ({ pk: organizationPartition(uuid), sk: "ORG" });
export const isOrganization = ({ pk, sk }: Key): boolean => pk.startsWith("ORG#") && sk === "ORG";
export const peopleKey = (uuid: string): Key => ({ pk: `PEOPLE#${uuid}`, sk: "PEOPLE" });
export const memberKey = (uuid: string, userId: string): Key => ({
  pk: membersPartition(uuid),
  sk: `MEMBER#${escapeKeyPart(userId)}`,
});
export const memberReadsKey = (uuid: string, userId: string): Key => ({
  pk: organizationPartition(uuid),
  sk: `READS#${escapeKeyPart(userId)}`,
});
export const repositoryKey = (uuid: string, repositoryId: string): Key => ({
  pk: organizationPartition(uuid),
  sk: `REPO#${escapeKeyPart(repositoryId)}`,
});
export const tenantKey = (tenant: TenantKey): Key => ({ pk: `TENANT#${tenant}`, sk: "TENANT" });
export const tenantOrganizationKey = (tenant: TenantKey, uuid: string): Key => ({
  pk: tenantOrganizationsPartition(tenant),
  sk: `ORG#${uuid}`,
});
/**
 * Within the range of the organizations, so that the query that reads them returns it too, without a further read unit.
 */
export const scopeEpochsKey = (tenant: TenantKey): Key => ({
  pk: tenantOrganizationsPartition(tenant),
  sk: "ORG#!EPOCHS",
});
export const isScopeEpochs = ({ sk }: Key): boolean => sk === "ORG#!EPOCHS";
/**
 * An organization that left its readers' scope: it moved away, was deactivated or changed its plan. Read only when the
 * epochs show a change.
 */
export const organizationLeftKey = (tenant: TenantKey, uuid: string): Key => ({
  pk: tenantOrganizationsPartition(tenant),
  sk: `LEFT#${uuid}`,
});
export const isOrganizationLeft = ({ sk }: Key): boolean => sk.startsWith("LEFT#");
export const organizationsLeftRange = (tenant: TenantKey) => ({
  pk: tenantOrganizationsPartition(tenant),
  beginsWith: "LEFT#",
});
export const organizationDirectoryKey = (providerOrganizationId: string, uuid: string): Key => ({
  pk: "DIRECTORY#ORG",
  sk: `${escapeKeyPart(providerOrganizationId)}#${uuid}`,
});
export const keyDirectoryKey = (keyId: string): Key => ({ pk: "DIRECTORY#KEY", sk: keyId });
/** The keys of an organization, and those of a whole workspace or instance, each in the order of their ids. */
export const keyRowsPrefix = "KEY#";
export const organizationKeyRow = (uuid: string, keyId: string): Key => ({
  pk: keyRowsPartition(organizationTenant(uuid)),
  sk: `${keyRowsPrefix}${keyId}`,
});
export const tenantKeyRow = (tenant: TenantKey, keyId: string): Key => ({
  pk: keyRowsPartition(tenant),
  sk: `${keyRowsPrefix}${keyId}`,
});
export const keyOfRow = (sk: string): string => sk.slice(keyRowsPrefix.length);
export const limitKey = (bucket: string, owner: string): Key => ({
  pk: `LIMIT#${bucket}#${owner}`,
  sk: "SLOTS",
});
export const cursorKeysKey: Key = { pk: "CURSOR-KEYS", sk: "CURSOR-KEYS" };
/**
 * `version` (`occurred_at#event id`) makes the key unique to the event: an event that is delivered twice waits once.
 */
export const waitingKey = (dependency: Key, version: string): Key => ({
  pk: waitingPartition(dependency),
  sk: version,
});
export const waitingPartition = (dependency: Key): string => `WAITING#${dependency.pk}/${dependency.sk}`;
export const waitingByAgeKey = (since: string, eventId: string): Key => ({
  pk: "WAITING",
  sk: `${since}#${eventId}`,
});
export const waitingByAgeRange = { pk: "WAITING" };
export const tenantOrganizationsRange = (tenant: TenantKey) => ({
  pk: tenantOrganizationsPartition(tenant),
  beginsWith: "ORG#",
});
export const auditPartition = (owner: TenantKey, month: string): string => `AUDIT#${owner}#${month}`;
/** Stored twice: under the tenant and under the organization (`o#<uuid>`); once if the two are the same. */
export const auditKey = (owner: TenantKey, createdAt: string, entryId: string): Key => ({
  pk: auditPartition(owner, createdAt.slice(0, 7)),
  sk: `${createdAt}#${entryId}`,
});
export const logMovePartition = "MOVING-LOG";
export const logMoveKey = (uuid: string): Key => ({ pk: logMovePartition, sk: uuid });
/** The owner of the log that holds the entry at this key. */
export const auditOwnerOf = ({ pk }: Key): string => pk.slice("AUDIT#".length, -"#2026-11".length);
/** Copies of audit entries that are not written yet. */
export const owedPartition = "OWED";
export const owedKey = (name: string): Key => ({ pk: owedPartition, sk: name });
export const keyDirectoryRange = { pk: "DIRECTORY#KEY" };

// The write-order stream (lib/stream).
/** Datasets are one letter in keys: a page pays for every byte of a key a thousand times. */
export type DatasetLetter = "c" | "r" | "m";
export type EntryPlace = {
  readonly tenant: TenantKey;
  /** The organization that owns the copy; undefined for the tenant-wide copy. */
  readonly organization: string | undefined;
  readonly dataset: DatasetLetter;
  readonly week: number;
};
const digits = (value: number, count: number) => String(value).padStart(count, "0");
export const streamHeadKey = (tenant: TenantKey): Key => ({ pk: `S#${tenant}`, sk: "HEAD" });
export const streamPartition = ({ tenant, organization, dataset, week }: EntryPlace): string =>
  organization === undefined
    ? `S#${tenant}#${dataset}#${week}`
    : `S#${tenant}#${organization}#${dataset}#${week}`;
/** The reverse, for repairs: undefined if the partition does not hold entries of a stream. */
export function parseStreamPartition(pk: string): EntryPlace | undefined {
  const found = /^S#([wio]#[^#]+)(?:#([^#]+))?#([crm])#(\d+)$/.exec(pk);
  const [, tenant, organization, dataset, week] = found ?? [];
  if (!isTenantKey(tenant) || !isDatasetLetter(dataset)) return undefined;
  return { tenant, organization, dataset, week: Number(week) };
}
export const isTenantKey = (text: string | undefined): text is TenantKey => /^[wio]#./s.test(text ?? "");
const isDatasetLetter = (text: string | undefined): text is DatasetLetter =>
  text === "c" || text === "r" || text === "m";
export const streamHeadTenant = ({ pk, sk }: Key): TenantKey | undefined => {
  const tenant = pk.slice(2);
  return pk.startsWith("S#") && sk === "HEAD" && isTenantKey(tenant) ? tenant : undefined;
};
export const streamNumberKey = (number: number): string => digits(number, 10);
export const streamEntryKey = (place: EntryPlace, number: number): Key => ({
  pk: streamPartition(place),
  sk: streamNumberKey(number),
});
export type RemovalPlace = Omit<EntryPlace, "week">;
export const streamRemovalPartition = ({ tenant, organization, dataset }: RemovalPlace): string =>
  organization === undefined
    ? `S#${tenant}#${dataset}#removed`
    : `S#${tenant}#${organization}#${dataset}#removed`;
export const streamRemovalKey = (place: RemovalPlace, number: number): Key => ({
  pk: streamRemovalPartition(place),
  sk: streamNumberKey(number),
});
export function parseRemovalPartition(pk: string): RemovalPlace | undefined {
  const place = pk.endsWith("#removed")
    ? parseStreamPartition(`${pk.slice(0, -"removed".length)}0`)
    : undefined;
  return place && { tenant: place.tenant, organization: place.organization, dataset: place.dataset };
}
export const pointerPartition = (organization: string): string => `PR#${organization}`;
export const pointerOrganization = (pk: string): string | undefined =>
  pk.startsWith("PR#") ? pk.slice(3) : undefined;
export const pointerKey = (organization: string, pointerId: string): Key => ({
  pk: pointerPartition(organization),
  sk: pointerId,
});
export const spillPartition = (organization: string): string => `SPILL#${organization}`;
export const spillKey = (organization: string, spillId: string): Key => ({
  pk: spillPartition(organization),
  sk: spillId,
});
/** A partition of its own: fifty parts in one partition would exceed what it can read and write at a time. */
export const spillPartKey = (spillId: string, index: number): Key => ({
  pk: `PART#${spillId}#${digits(index, 4)}`,
  sk: "PART",
});

/** A repair that is in progress. */
export const repairPartition = "REPAIR";
export const repairRunKey: Key = { pk: repairPartition, sk: "RUN" };
export const repairBoundaryKey = (tenant: TenantKey): Key => ({
  pk: repairPartition,
  sk: `BEFORE#${tenant}`,
});
export const repairSegmentKey = (index: number): Key => ({
  pk: repairPartition,
  sk: `SEGMENT#${digits(index, 2)}`,
});

// People (lib/people).
/** The pool whose seats a person uses: a workspace's (`w#…`), or one organization's own (`o#…`). */
export type PoolKey = `${"w" | "o"}#${string}`;
export const poolOf = ({ uuid, tenant }: { readonly uuid: string; readonly tenant: TenantKey }): PoolKey =>
  isWorkspaceTenant(tenant) ? tenant : `o#${uuid}`;
/** An organization's pool is part of its people guard; a workspace's pool is a separate item. */
export const poolGuardKey = (pool: PoolKey): Key =>
  isWorkspaceTenant(pool) ? { pk: poolPartition(pool), sk: "SEATS" } : peopleKey(pool.slice(2));
const poolPartition = (pool: PoolKey): string => `SEATS#${pool}`;
/**
 * In a workspace, one e-mail address is one person; elsewhere, and without an address, each membership is one person.
 */
export const personKey = (
  pool: PoolKey,
  member: { readonly organization: string; readonly userId: string; readonly email: string | null },
): Key => ({
  pk: poolPartition(pool),
  sk:
    isWorkspaceTenant(pool) && member.email !== null
      ? `PERSON#mail#${escapeKeyPart(member.email.toLowerCase())}`
      : `PERSON#user#${member.organization}#${escapeKeyPart(member.userId)}`,
});
export const personsRange = (pool: PoolKey) => ({ pk: poolPartition(pool), beginsWith: "PERSON#" });
/** Stored separately from the member, who may not be known yet when their pull request is reviewed. */
export const taggedKey = (uuid: string, userId: string): Key => ({
  pk: organizationPartition(uuid),
  sk: `TAGGED#${escapeKeyPart(userId)}`,
});
export const roleKey = (uuid: string, roleId: string): Key => ({
  pk: rolesPartition(uuid),
  sk: `ROLE#${roleId}`,
});
export const teamKey = (uuid: string, teamId: string): Key => ({
  pk: `TEAMS#${uuid}`,
  sk: `TEAM#${escapeKeyPart(teamId)}`,
});
export const teamsRange = (uuid: string) => ({ pk: `TEAMS#${uuid}`, beginsWith: "TEAM#" });
export const rolesRange = (uuid: string) => ({ pk: rolesPartition(uuid), beginsWith: "ROLE#" });
export const membersRange = (uuid: string) => ({ pk: membersPartition(uuid), beginsWith: "MEMBER#" });
/** A list that is too long for one item continues in further items: the first part is `memberReadsKey` itself. */
export const memberReadsPartKey = (uuid: string, userId: string, index: number): Key => {
  const { pk, sk } = memberReadsKey(uuid, userId);
  return index === 0 ? { pk, sk } : { pk, sk: `${sk}#${digits(index, 2)}` };
};
export const repositoriesRange = (uuid: string) => ({ pk: organizationPartition(uuid), beginsWith: "REPO#" });
export const refusalKey = (keyId: string, reason: string): Key => ({ pk: `REFUSED#${keyId}`, sk: reason });

// Learnings (lib/learnings) and the review index (lib/index).
export const learningPartition = (organization: string): string => `LEARNING#${organization}`;
export const learningKey = (organization: string, learningId: string): Key => ({
  pk: learningPartition(organization),
  sk: learningId,
});
export const textKey = (organization: string, digest: string): Key => ({
  pk: `TEXT#${organization}`,
  sk: digest,
});
/** `nn` is the place within a batch, so that a batch is exported in its own order. */
export const learningPlace = (writtenAt: string, placeInBatch: number, learningId: string): string =>
  `${writtenAt}#${digits(placeInBatch, 2)}#${learningId}`;
export const learningListPartition = (owner: TenantKey): string => `LEARNINGS#${owner}`;
export const learningListKey = (owner: TenantKey, place: string): Key => ({
  pk: learningListPartition(owner),
  sk: place,
});
/** Ordered like the list: a removal sorts after the last place of the Learning there. */
export const learningRemovalsPartition = (owner: TenantKey): string =>
  `${learningListPartition(owner)}#removed`;
export const learningRemovalKey = (owner: TenantKey, place: string): Key => ({
  pk: learningRemovalsPartition(owner),
  sk: place,
});
export const pendingPartition = "PENDING";
export const pendingKey = (approveAt: string, organization: string, learningId: string): Key => ({
  pk: pendingPartition,
  sk: `${approveAt}#${organization}#${learningId}`,
});
/** The same by organization, for its admins; the places equal those of the global list. */
export const organizationPendingPartition = (organization: string): string => `PENDING#${organization}`;
export const organizationPendingKey = (approveAt: string, organization: string, learningId: string): Key => ({
  pk: organizationPendingPartition(organization),
  sk: pendingKey(approveAt, organization, learningId).sk,
});
export const pullRequestLearningsKey = (organization: string, pullRequest: string): Key => ({
  pk: `PRIVATE#${organization}`,
  sk: pullRequest,
});
export const vectorPartition = (organization: string): string => `VECTOR#${organization}`;
/** A Learning with a long text has a vector for each piece of it. */
export const vectorKey = (organization: string, learningId: string, piece = 0): Key => ({
  pk: vectorPartition(organization),
  sk: piece === 0 ? learningId : `${learningId}#${piece}`,
});
export const learningOfVector = (sk: string): string => sk.replace(/#.*/s, "");
/** Sorts after every piece of this Learning, and before every other Learning. */
export const behindVectors = (learningId: string): string => `${learningId}$`;
export const stalePartition = (shard: number): string => `STALE#${digits(shard, 2)}`;
export const staleKey = (
  shard: number,
  { organization, id, revision }: { organization: string; id: string; revision: string },
): Key => ({ pk: stalePartition(shard), sk: `${organization}#${id}#${revision}` });
export const appliedEventKey = (eventId: string): Key => ({ pk: `APPLIED#${eventId}`, sk: "APPLIED" });
export const relistPartition = "RELIST";
export const relistKey = (dueAt: string, organization: string): Key => ({
  pk: relistPartition,
  sk: `${dueAt}#${organization}`,
});
export const reconcilerKey: Key = { pk: "RECONCILER", sk: "INDEX" };
export const sweeperKey: Key = { pk: "SWEEPER", sk: "SPILLS" };
export const reconcilerMarkersKey: Key = { pk: "RECONCILER", sk: "MARKERS" };
export const organizationDirectoryPartition = "DIRECTORY#ORG";

// Security findings (lib/security).
/** A digest replaces the repository's id: cursors hold it, and ids may be long. */
export const scansPartition = (organization: string): string => `SCANS#${organization}`;
export const scansKey = (organization: string, repositoryDigest: string): Key => ({
  pk: scansPartition(organization),
  sk: repositoryDigest,
});
export const findingsPartition = (organization: string, repositoryDigest: string): string =>
  `FINDINGS#${organization}#${repositoryDigest}`;
export const findingsChunkKey = (organization: string, repositoryDigest: string, chunkId: string): Key => ({
  pk: findingsPartition(organization, repositoryDigest),
  sk: chunkId,
});
/** Counts the failed tries of a queue message. */
export const triesKey = (messageId: string): Key => ({
  pk: `TRIES#${escapeKeyPart(messageId)}`,
  sk: "TRIES",
});
/** Organizations whose data is still moving to another tenant. */
export const movingPartition = "MOVING";
export const movingKey = (uuid: string): Key => ({ pk: movingPartition, sk: uuid });

// Webhooks (lib/webhooks).
export const webhookPartition = (shard: number): string => `WEBHOOKS#${digits(shard, 2)}`;
export const webhookKey = (shard: number, owner: TenantKey, webhookId: string): Key => ({
  pk: webhookPartition(shard),
  sk: `${owner}#${webhookId}`,
});
/** In the range of the owner's webhooks, before all of them. */
export const webhookCountKey = (shard: number, owner: TenantKey): Key => ({
  pk: webhookPartition(shard),
  sk: `${owner}${webhookCountSuffix}`,
});
const webhookCountSuffix = "#!COUNT";
export const isWebhookCount = ({ sk }: Key): boolean => sk.endsWith(webhookCountSuffix);
export const webhooksRange = (shard: number, owner: TenantKey) => ({
  pk: webhookPartition(shard),
  beginsWith: `${owner}#`,
});
export const webhookSecretsKey = (webhookId: string): Key => ({
  pk: `WEBHOOK-SECRETS#${webhookId}`,
  sk: "SECRETS",
});
export const webhookEncryptionKey: Key = { pk: "WEBHOOK-KEY", sk: "WEBHOOK-KEY" };
/** What a request with an idempotency key made. `request` is the operation and the value that the caller sent. */
export const onceKey = (keyId: string, request: string): Key => ({ pk: `ONCE#${keyId}`, sk: request });
export const deliveriesPartition = (webhookId: string): string => `DELIVERIES#${webhookId}`;
/** `place` is the same for all attempts of a ring: the time of its first attempt, and its id. */
export const deliveryKey = (webhookId: string, place: string, attempt: number): Key => ({
  pk: deliveriesPartition(webhookId),
  sk: `${place}#${digits(attempt, 2)}`,
});
export const newsPartition = (tenant: TenantKey): string => `NEWS#${tenant}`;
/** Repositories of two organizations may have the same id. */
export const newsKey = (tenant: TenantKey, writtenAt: string, organization: string, id: string): Key => ({
  pk: newsPartition(tenant),
  sk: `${writtenAt}#${organization}#${escapeKeyPart(id)}`,
});
