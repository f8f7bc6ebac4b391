import {
  DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { draftKeyItem } from "../../../lib/access/key-registry.ts";
import * as items from "../../../lib/contract/items.ts";
import type { KindName, KindsThat } from "../../../lib/contract/kind-names.ts";
import { organizationTenant } from "../../../lib/contract/tenants.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import type { Item, Key } from "../../../lib/store/table.ts";
import { anyKind, kindNames } from "../../store/item-kinds.ts";
import { github, World } from "../../support/world.ts";
import { partOf } from "../infra/support.ts";
import { useDeployment } from "./deployment.ts";
import { secretAccessKey } from "./iam-proxy.ts";
import { type ItemKind, itemKinds, operationIds, RoleMatrix } from "./role-matrix.ts";

const deployment = useDeployment();
let matrix: RoleMatrix;
beforeAll(() => {
  const { template, account, store } = deployment();
  matrix = new RoleMatrix(template, account, account.tableArn(store.tableName));
});
const kind = (name: string): ItemKind => itemKinds().find((each) => each.name === name) ?? expect.fail(name);

/** The operations that write an attribute that gives rights: all attributes of the kind, unless a row says more. */
const writersOfRights = {
  apiKey: ["createKey"],
  keyList: ["createKey"],
  organization: [],
  tenantOrganization: [],
  memberReads: [],
  memberReadsPart: [],
  member: ["changeRoles", "giveRole"],
  people: ["createRole", "updateRole", "deleteRole"],
  webhook: ["createWebhook"],
} as const satisfies Record<Kind, readonly string[]>;
type Kind = KindsThat<{ readonly rights: readonly string[] }>;
const isKind = (name: KindName): name is Kind => name in writersOfRights;
const kinds = kindNames.filter(isKind);
/** Compared or written by a rotation, which can change nothing else of a key. */
const ofValues = ["hash", "old_hash", "rotated_at", "old_until", "salt", "revoked_at"];
const ofRights = kinds.flatMap((name) =>
  (anyKind(name).rights ?? []).map((attribute): [string, Kind, readonly string[]] => [
    attribute,
    name,
    [
      ...writersOfRights[name],
      ...(ofValues.includes(attribute) ? ["rotateKey"] : []),
      ...(attribute === "revoked_at" ? ["deleteKey"] : []),
    ],
  ]),
);

const keysOfRights = (organization: string): Readonly<Record<Kind, Key>> => ({
  apiKey: items.apiKey.key({ keyId: "someone-elses" }),
  keyList: items.keyList.key({ keyId: "someone-elses" }),
  organization: items.organization.key({ organization }),
  tenantOrganization: items.tenantOrganization.key({
    tenant: organizationTenant(organization),
    organization,
  }),
  memberReads: items.memberReads.key({ organization, userId: "u-member" }),
  memberReadsPart: items.memberReadsPart.key({ organization, userId: "u-member", part: 1 }),
  member: items.member.key({ organization, userId: "u-member" }),
  people: items.people.key({ organization }),
  webhook: items.webhook.key({
    shard: 7,
    tenant: organizationTenant(organization),
    webhookId: "someone-elses",
  }),
});

describe("the matrix of roles, kinds of items and actions", () => {
  test("what every role may do with every kind of item is what docs/reports/role-matrix.txt says", async () => {
    expect(itemKinds().length).toBeGreaterThan(50);
    await expect(matrix.toString()).toMatchFileSnapshot("../../../docs/reports/role-matrix.txt");
  });

  test.each([
    ["apiKey", ["createKey", "rotateKey", "deleteKey"]],
    ["madeKeys", ["createKey", "deleteKey"]],
    ["keyList", ["createKey"]],
    ["organization", ["setSeatAssignment"]],
    ["tenantOrganization", ["setSeatAssignment"]],
    ["tenant", []],
    ["role", ["createRole", "updateRole", "deleteRole"]],
    ["member", ["giveRole", "changeRoles"]],
    ["person", ["assignSeats"]],
    ["cursorKeys", []],
    ["webhook", ["createWebhook", "updateWebhook", "deleteWebhook", "testWebhook"]],
    ["webhookSecrets", ["createWebhook", "rotateWebhook", "deleteWebhook"]],
    ["webhookKey", ["createWebhook"]],
  ])("over HTTP an item of the kind %s is written by %j only", (name, writers) => {
    expect(matrix.operationsThatWrite(kind(name)).toSorted()).toEqual(writers.toSorted());
  });

  test("the secrets of webhooks are read by the operations that create, rotate or test, and by the sender", () => {
    const readers = ["createWebhook", "rotateWebhook", "testWebhook", "ringWebhooks"];
    for (const action of ["GetItem", "BatchGetItem", "Query"])
      for (const reader of matrix.allowed(kind("webhookSecrets"), { action }))
        expect(readers).toContain(reader);
  });

  test.each(ofRights)(
    "over HTTP the attribute %s of the kind %s is written by %j only",
    (attribute, name, writers) => {
      expect(matrix.operationsThatWrite(kind(name), attribute).toSorted()).toEqual(writers.toSorted());
    },
  );

  test("outside transactions no operation puts a whole people guard", () => {
    const written = matrix.allowed(kind("people"), { action: "PutItem" });
    expect(written.filter((id) => operationIds.includes(id))).toEqual([]);
  });

  test("no role changes or deletes an audit entry alone, and no role reads the whole table", () => {
    const entry = kind("audit");
    for (const action of ["UpdateItem", "DeleteItem", "BatchWriteItem"])
      expect(matrix.allowed(entry, { action })).toEqual([]);
    for (const each of itemKinds()) expect(matrix.allowed(each, { action: "Scan" })).toEqual([]);
  });

  test("the keys of cursors are written by one worker", () => {
    const keys = kind("cursorKeys");
    expect(matrix.allowed(keys, { action: "PutItem" })).toEqual(["rotateCursorKeys"]);
    for (const action of ["UpdateItem", "DeleteItem", "BatchWriteItem"])
      expect(matrix.allowed(keys, { action })).toEqual([]);
  });
});

describe("a leaked role", () => {
  const world = new World(() => deployment().store.table);
  let organization: string;
  const clients: DynamoDBClient[] = [];
  beforeAll(async () => {
    organization = await world.organization("leaked");
    await world.member(github("leaked"), "u-member");
  });
  afterAll(() => {
    for (const client of clients) client.destroy();
  });

  /** AWS with the credentials of an operation's role, which is all that a thief of them has. */
  function clientOf(id: string): DynamoDBClient {
    const { account, iamProxy } = deployment();
    const client = new DynamoDBClient({
      region: account.region,
      endpoint: iamProxy.url,
      credentials: { accessKeyId: partOf(id, "Function"), secretAccessKey },
      maxAttempts: 1,
    });
    clients.push(client);
    return client;
  }

  /** A key of the thief's own making: its text, and the item with its hash and the role of an admin. */
  const forged = () =>
    draftKeyItem(
      { table: deployment().store.table, clock: systemClock, random: systemRandom, retentionDays: 1 },
      {
        kind: "organization",
        tenant: `o#${organization}`,
        organization,
        owner: "u-member",
        role: "cr_admin",
      },
    );

  /** With the credentials of an operation's role, in every way of writing an item. */
  async function expectDenied(id: string, item: Item): Promise<void> {
    const client = clientOf(id);
    const TableName = deployment().store.tableName;
    const Item = marshall(item);
    const { pk, sk, ...fields } = Item;
    const names = Object.keys(fields);
    const update = {
      TableName,
      Key: { pk: pk ?? expect.fail(), sk: sk ?? expect.fail() },
      UpdateExpression: `SET ${names.map((_, index) => `#n${index} = :v${index}`).join(", ")}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name, index) => [`#n${index}`, name])),
      ExpressionAttributeValues: Object.fromEntries(
        Object.values(fields).map((value, index) => [`:v${index}`, value]),
      ),
    };
    const denied = { name: "AccessDeniedException" };
    await expect(client.send(new UpdateItemCommand(update))).rejects.toMatchObject(denied);
    await expect(client.send(new PutItemCommand({ TableName, Item }))).rejects.toMatchObject(denied);
    for (const each of [{ Update: update }, { Put: { TableName, Item } }])
      await expect(
        client.send(new TransactWriteItemsCommand({ TransactItems: [each] })),
      ).rejects.toMatchObject(denied);
  }

  test.each(operationIds.filter((id) => id !== "createKey" && id !== "rotateKey"))(
    "the role of %s cannot forge a key, in any way of writing",
    async (id) => {
      const { text, key } = forged();
      await expectDenied(id, key);
      expect(await deployment().store.table.get(items.apiKey.key({ keyId: key.id }))).toBeUndefined();
      if (id === "whoami") expect((await deployment().call("/v1/users", { key: text })).status).toBe(401);
    },
  );

  /** The matrix has every attribute; here one of each kind, another for each role. */
  test.each([...operationIds.entries()])(
    "the role of operation %i, %s, changes no attribute that gives rights but its own",
    async (turn, id) => {
      const before = await itemsWithRights();
      for (const name of kinds) {
        const others = ofRights.filter(([, of, writers]) => of === name && !writers.includes(id));
        const [attribute] = others[turn % others.length] ?? [];
        const item = { ...keysOfRights(organization)[name], ...(attribute && { [attribute]: "forged" }) };
        if (attribute) await expectDenied(id, item);
      }
      expect(await itemsWithRights()).toEqual(before);
    },
  );

  const itemsWithRights = () => deployment().store.table.getMany(Object.values(keysOfRights(organization)));
});
