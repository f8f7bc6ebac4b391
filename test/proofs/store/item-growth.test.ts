import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import type { Growth } from "../../../lib/contract/kind.ts";
import type { KindsThat } from "../../../lib/contract/kind-names.ts";
import {
  auditLimits,
  cursorLimits,
  eventLimits,
  keyLimits,
  learningLimits,
  peopleLimits,
  requestLimits,
  securityLimits,
  streamLimits,
  teamLimits,
  webhookLimits,
} from "../../../lib/contract/limits.ts";
import { operations } from "../../../lib/contract/operations.ts";
import { queueLimits } from "../../../lib/contract/platform.ts";
import { webhookTypes } from "../../../lib/contract/webhooks.ts";
import { workspaceSaved } from "../../../lib/events/schemas.ts";
import type { AttributeValue, Item } from "../../../lib/store/table.ts";
import { encodeWeeks } from "../../../lib/stream/weeks.ts";
import { useStore } from "../../support/engine.ts";

const store = useStore();
/** Characters of four bytes each, as many as the limit allows. */
const wide = (characters: number) => "\u{1f600}".repeat(characters);
const id = wide(requestLimits.idBytesMax / 4);
const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
const time = "2026-11-15T12:00:00.000Z";
const many = <Element>(count: number, make: (index: number) => Element): Element[] =>
  Array.from({ length: count }, (_, index) => make(index));
/** The longest possible key: three bytes for each byte of an id. */
const key = {
  pk: `TENANT#w#${"%23".repeat(requestLimits.idBytesMax)}`,
  sk: "%23".repeat(requestLimits.idBytesMax),
};

type Attributes = { readonly [name: string]: AttributeValue };
const text = wide(learningLimits.textCharactersMax);
const learning: Attributes = {
  id: uuid,
  organization: uuid,
  repository_id: id,
  text,
  digest: "d".repeat(43),
  origin: { digest: "d".repeat(43), generation: 1_000 },
  author_id: id,
  file: wide(learningLimits.fileCharactersMax),
  source_url: wide(learningLimits.sourceUrlCharactersMax),
  listed: { tenant: key.pk, place: `${time}#00#${uuid}` },
  revision: uuid,
};
const roles = many(
  peopleLimits.customRolesMax + 3,
  (index) => uuid.slice(0, -3) + String(index).padStart(3, "0"),
);
const entry: Attributes = {
  i: "p".repeat(16),
  g: uuid,
  r: id,
  a: id,
  t: Date.parse(time),
  b: 1e9,
  p: new Uint8Array(streamLimits.inlineBytesMax),
};
const idsPart = {
  all: false,
  parts: 99,
  repository_ids: many(eventLimits.readablePartBytesMax / 260, () => id),
};
/** As many admins as the event's schema accepts. */
function mostAdmins() {
  const admin = { user_id: id, email: wide(peopleLimits.emailBytesMax / 4) };
  const event = (count: number) => ({
    id: "w",
    name: "w",
    admins: many(count, () => admin),
    seats_purchased: 0,
    active: true,
  });
  let count = 1;
  while (workspaceSaved.safeParse(event(count + 1)).success) count++;
  return event(count);
}

/** The largest item of every kind that grows. */
const largest: Readonly<Record<KindsThat<{ readonly grows: Growth }>, () => Attributes>> = {
  keyList: () => ({ authorized: many(keyLimits.authorizedOrganizationsMax, () => uuid) }),
  madeKeys: () => ({
    version: 1e15,
    made: many(keyLimits.madeKeysMax, () => ({ id: "k".repeat(17), expires_at_ms: 1.8e12 })),
  }),
  delivery: () => {
    const answer = wide(webhookLimits.shownAnswerBytes / 4);
    const body = wide(webhookLimits.namedMax * 300);
    return { answer, earlier: many(webhookLimits.attemptsShown, () => ({ at: time, answer })), body };
  },
  tenantNews: () => ({ id, authorized: many(keyLimits.authorizedOrganizationsMax, () => uuid) }),
  people: () => ({
    counts: Object.fromEntries(roles.map((role) => [role, 1e9])),
    roles: Object.fromEntries(roles.map((role) => [role, 4_095])),
    role_names: Object.fromEntries(roles.map((role, index) => [`${"n".repeat(19)}${index}`, role])),
  }),
  memberReads: () => idsPart,
  team: () => ({
    team_id: id,
    name: wide(eventLimits.nameCharactersMax / 4),
    user_ids: many(Math.floor(teamLimits.usersBytesMax / (requestLimits.idBytesMax + 3)), () => id),
    version: `${time}#${uuid}`,
  }),
  tenant: mostAdmins,
  limit: () => {
    const most = Math.max(...operations.map(({ rateLimit }) => rateLimit.requestsMax));
    return Object.fromEntries(many(most, (index) => [`s${index}`, `abcdefgh#${uuid}`]));
  },
  cursorKeys: () => ({
    keys: Object.fromEntries(
      many(Math.ceil(cursorLimits.resumeAgeDaysMax / cursorLimits.keyDaysMax) + 2, (index) => [
        `key-${index}`,
        { secret: "s".repeat(43), created_at_ms: 1.8e12 },
      ]),
    ),
  }),
  waiting: () => ({
    id,
    group: id,
    body: "b".repeat(queueLimits.messageBytesMax),
    event_id: uuid,
    since: time,
  }),
  memberReadsPart: () => idsPart,
  person: () => ({
    email: wide(peopleLimits.emailBytesMax / 4),
    memberships: many(peopleLimits.membershipsMax, () => ({
      organization: uuid,
      user_id: id,
      seat_wanted: true,
    })),
    seat: true,
    seat_decided: true,
  }),
  audit: () => ({
    summary: "s".repeat(1_000),
    actor: {
      type: "key",
      id,
      name: wide(eventLimits.nameCharactersMax),
      key_id: uuid,
      key_kind: "organization",
    },
    metadata: {
      ids: many(peopleLimits.batchUsersMax, () => id),
      failed: many(peopleLimits.batchUsersMax, () => ({ id, code: "BILLING_ADMIN_PROTECTED" })),
      organization_ids: many(peopleLimits.organizationsNamedMax, () => id),
      organization_count: peopleLimits.membershipsMax,
    },
    organizations: many(peopleLimits.membershipsMax, () => uuid),
  }),
  owed: () => ({ texts: [{ summary: "s".repeat(auditLimits.owedBytesMax) }] }),
  streamHead: () => ({
    n: streamLimits.numberMax,
    p: streamLimits.numberMax,
    w: encodeWeeks(
      many(streamLimits.weeksMax, (week) => ({ week, lowest: 1, highest: streamLimits.numberMax })),
    ),
    q: many(streamLimits.changesPerTransactionMax, () => ({
      o: uuid,
      t: key.pk,
      a: [1, "p".repeat(16), streamLimits.numberMax, many(3, () => ["c", 4_000])],
      d: many(3, () => [1, 1, "c", 4_000, streamLimits.numberMax]),
      s: many(3, () => [1, uuid, 9_999]),
    })),
  }),
  entry: () => entry,
  organizationEntry: () => entry,
  spillPart: () => ({ d: new Uint8Array(streamLimits.partBytesMax) }),
  scans: () => ({
    repository_id: id,
    newest: { version: `${time}#${uuid}`, scan_id: id, commit_sha: id, completed_at: time },
    chunks: many(securityLimits.chunksMax, () => ({ i: uuid, f: "f".repeat(22), c: many(12, () => 99) })),
  }),
  findings: () => ({ rows: new Uint8Array(2 * securityLimits.chunkBytesMax) }),
  learning: () => ({
    ...learning,
    pull_requests: many(learningLimits.pullRequestsMax, () => "d".repeat(43)),
  }),
  text: () => ({
    learning_id: uuid,
    generations: many(learningLimits.generationsMax, (index) => index),
  }),
  listedLearning: () => learning,
  pullRequestLearnings: () => ({
    learnings: Object.fromEntries(
      many(learningLimits.perPullRequestMax, (index) => [
        uuid.slice(0, -4) + String(index).padStart(4, "0"),
        `${time}#${uuid}`,
      ]),
    ),
  }),
  tries: () => Object.fromEntries(many(eventLimits.triesMax + 1, (index) => [`begun ${uuid}${index}`, true])),
  webhook: () => ({
    id: uuid,
    authorized: many(keyLimits.authorizedOrganizationsMax, () => uuid),
    url: wide(webhookLimits.urlCharactersMax),
    description: wide(webhookLimits.descriptionCharactersMax),
    types: [...webhookTypes],
    rung: Object.fromEntries(webhookTypes.map((type) => [type, `1#${time}`])),
    retries: Object.fromEntries(
      webhookTypes.map((type) => [type, { failures: 99, due_ms: 1.8e12, id: uuid, place: uuid, mark: time }]),
    ),
  }),
  webhookSecrets: () => ({
    secrets: many(webhookLimits.oldSecretsMax + 1, () => ({ sealed: "s".repeat(103), until_ms: 1.8e12 })),
  }),
};

test.each(Object.keys(largest))("the test that reaches the bound exists: %s", (name) => {
  const { grows } = { ...kinds }[name as keyof typeof largest];
  expect(existsSync(new URL(`../../../${grows.test}`, import.meta.url))).toBe(true);
});

describe("the largest items", () => {
  test.each(Object.entries(largest))("the largest item fits the table: %s", async (_, make) => {
    const item: Item = { ...make(), ...key };
    await store().table.write({ put: item });
  });

  test("a larger item does not fit, so these tests can fail", async () => {
    const memberships = many(2 * peopleLimits.membershipsMax, () => ({ organization: uuid, user_id: id }));
    await expect(store().table.write({ put: { ...key, memberships } })).rejects.toThrow(/size/i);
  });
});
