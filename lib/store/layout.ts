/**
 * The single table, written down once: every kind of item, its keys, and an example.
 *
 * | Item                    | pk                           | sk                     | example                                    |
 * |-------------------------|------------------------------|------------------------|--------------------------------------------|
 * | API key                 | KEY#<key id>                 | KEY                    | KEY#k7f3q2… / KEY                          |
 * | organization            | ORG#<org uuid>               | ORG                    | ORG#6f1c… / ORG                            |
 * | people guard            | ORG#<org uuid>               | PEOPLE                 | ORG#6f1c… / PEOPLE                         |
 * | member                  | ORG#<org uuid>               | MEMBER#<user id>       | ORG#6f1c… / MEMBER#4411                    |
 * | member's repositories   | ORG#<org uuid>               | READS#<user id>        | ORG#6f1c… / READS#4411                     |
 * | repository              | ORG#<org uuid>               | REPO#<repository id>   | ORG#6f1c… / REPO#9001                      |
 * | key of an organization  | ORG#<org uuid>               | KEY#<key id>           | ORG#6f1c… / KEY#k7f3q2…                    |
 * | workspace or instance   | TENANT#<tenant>              | TENANT                 | TENANT#w#acme / TENANT                     |
 * | organization of tenant  | TENANT#<tenant>              | ORG#<org uuid>         | TENANT#w#acme / ORG#6f1c…                  |
 * | key of a tenant         | TENANT#<tenant>              | KEY#<key id>           | TENANT#w#acme / KEY#k7f3q2…                |
 * | organization directory  | DIRECTORY#ORG                | <provider id>#<uuid>   | DIRECTORY#ORG / 1001#6f1c…                 |
 * | key directory           | DIRECTORY#KEY                | <key id>               | DIRECTORY#KEY / k7f3q2…                    |
 * | rate limit bucket       | LIMIT#<bucket>#<owner>       | SLOTS                  | LIMIT#organizations#w#acme / SLOTS         |
 * | cursor signing keys     | CURSOR-KEYS                  | CURSOR-KEYS            | CURSOR-KEYS / CURSOR-KEYS                  |
 * | event waiting for       | WAITING#<dependency>         | <time>#<event id>      | WAITING#org#6f1c… / 2026-11-01T…#0b9e…     |
 * | waiting, by age         | WAITING                      | <time>#<event id>      | WAITING / 2026-11-01T…#0b9e…               |
 */
import type { Key } from "./table.ts";

/** Ids come from Git providers and may hold anything; `#` separates the parts of our keys. */
export const part = (id: string): string => id.replaceAll("%", "%25").replaceAll("#", "%23");

/** `w#<workspace>`, `i#<instance>` or `o#<organization uuid>`: the partition every tenant-wide item hangs on. */
export type TenantKey = `${"w" | "i" | "o"}#${string}`;

export const workspaceTenant = (workspaceId: string): TenantKey => `w#${part(workspaceId)}`;
export const instanceTenant = (instanceId: string): TenantKey => `i#${part(instanceId)}`;
export const organizationTenant = (organizationUuid: string): TenantKey => `o#${organizationUuid}`;

const organizationPartition = (organizationUuid: string) => `ORG#${organizationUuid}`;
const tenantPartition = (tenant: TenantKey) => `TENANT#${tenant}`;

export const keyKey = (keyId: string): Key => ({ pk: `KEY#${keyId}`, sk: "KEY" });
export const organizationKey = (uuid: string): Key => ({ pk: organizationPartition(uuid), sk: "ORG" });
export const peopleKey = (uuid: string): Key => ({ pk: organizationPartition(uuid), sk: "PEOPLE" });
export const memberKey = (uuid: string, userId: string): Key => ({
  pk: organizationPartition(uuid),
  sk: `MEMBER#${part(userId)}`,
});
export const memberReadsKey = (uuid: string, userId: string): Key => ({
  pk: organizationPartition(uuid),
  sk: `READS#${part(userId)}`,
});
export const repositoryKey = (uuid: string, repositoryId: string): Key => ({
  pk: organizationPartition(uuid),
  sk: `REPO#${part(repositoryId)}`,
});
export const organizationKeyListKey = (uuid: string, keyId: string): Key => ({
  pk: organizationPartition(uuid),
  sk: `KEY#${keyId}`,
});
export const tenantKey = (tenant: TenantKey): Key => ({ pk: tenantPartition(tenant), sk: "TENANT" });
export const tenantOrganizationKey = (tenant: TenantKey, uuid: string): Key => ({
  pk: tenantPartition(tenant),
  sk: `ORG#${uuid}`,
});
export const tenantKeyListKey = (tenant: TenantKey, keyId: string): Key => ({
  pk: tenantPartition(tenant),
  sk: `KEY#${keyId}`,
});
export const organizationDirectoryKey = (providerOrganizationId: string, uuid: string): Key => ({
  pk: "DIRECTORY#ORG",
  sk: `${part(providerOrganizationId)}#${uuid}`,
});
export const keyDirectoryKey = (keyId: string): Key => ({ pk: "DIRECTORY#KEY", sk: keyId });
export const limitKey = (bucket: string, owner: string): Key => ({
  pk: `LIMIT#${bucket}#${owner}`,
  sk: "SLOTS",
});
export const cursorKeysKey: Key = { pk: "CURSOR-KEYS", sk: "CURSOR-KEYS" };
export const waitingKey = (dependency: string, since: string, eventId: string): Key => ({
  pk: `WAITING#${dependency}`,
  sk: `${since}#${eventId}`,
});
export const waitingByAgeKey = (since: string, eventId: string): Key => ({
  pk: "WAITING",
  sk: `${since}#${eventId}`,
});
