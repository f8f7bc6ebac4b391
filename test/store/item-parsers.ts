import * as z from "zod";
import { keyKinds } from "../../lib/contract/access.ts";
import type { KindName } from "../../lib/contract/kind-names.ts";
import { parseCursorKeys } from "../../lib/http/cursor-keys.ts";
import { parseLedger } from "../../lib/security/ledger.ts";
import { parseAudit } from "../../lib/store/items/audit.ts";
import { parseKey, parseMadeKeys } from "../../lib/store/items/key.ts";
import {
  parseLearning,
  parseLearningRemoval,
  parseMoved,
  parsePending,
  parsePullRequestLearnings,
  parseText,
} from "../../lib/store/items/learning.ts";
import { parseLogMove } from "../../lib/store/items/log-move.ts";
import { parseMoving } from "../../lib/store/items/moving.ts";
import { parseOrganization, parseOrganizationDirectory } from "../../lib/store/items/organization.ts";
import { parseOwed } from "../../lib/store/items/owed.ts";
import { itemSchema, parseItem } from "../../lib/store/items/parse.ts";
import {
  parseMember,
  parseMemberReads,
  parsePeopleGuard,
  parsePerson,
  parsePool,
} from "../../lib/store/items/people.ts";
import { parseRepository } from "../../lib/store/items/repository.ts";
import { parseRole } from "../../lib/store/items/role.ts";
import { parseOrganizationLeft, parseScopeEpochs } from "../../lib/store/items/scope-epochs.ts";
import { parseTeam } from "../../lib/store/items/team.ts";
import { parseInstance, parseWorkspace } from "../../lib/store/items/tenant.ts";
import {
  parseReconciler,
  parseReconcilerMarkers,
  parseStale,
  parseVector,
} from "../../lib/store/items/vector.ts";
import { parseWaiting, parseWaitingByAge } from "../../lib/store/items/waiting.ts";
import {
  parseDelivery,
  parseNews,
  parseOnce,
  parseWebhook,
  parseWebhookSecrets,
} from "../../lib/store/items/webhook.ts";
import type { Item } from "../../lib/store/table.ts";
import { parseEntry } from "../../lib/stream/entry.ts";
import { parseHead } from "../../lib/stream/head.ts";
import { parsePointer } from "../../lib/stream/pointer.ts";
import { parseRemoval } from "../../lib/stream/removal.ts";
import { parseBoundary, parseRun, parseSegment } from "../../lib/stream/repair-run.ts";
import { parseSpill } from "../../lib/stream/spill.ts";
import { parseSweeper } from "../../lib/stream/sweep-some.ts";
import { sealingKeyOf } from "../../lib/webhooks/secrets.ts";
import { kindOf } from "./item-kinds.ts";

const owner = "6f1c2b7e-0000-4000-8000-000000000000";
/** Items that the product writes and never parses: it asks whether they are there, or reads one attribute. */
const plain = (shape: z.ZodRawShape) => parseItem("item", itemSchema(shape).strict());
const [atMs, ttl, keyKind] = [z.number(), z.number(), z.enum(keyKinds)];
const bytes = z.instanceof(Uint8Array);
const whole = (item: Item): Item => item;

/** How the code that reads a kind parses its items: a kind without a parser does not compile. */
const parsers: Readonly<Record<KindName, (item: Item) => unknown>> = {
  apiKey: parseKey,
  applied: plain({ ttl }),
  audit: parseAudit,
  cursorKeys: parseCursorKeys,
  delivery: parseDelivery,
  entry: (item) => parseEntry(item, owner),
  findings: plain({ rows: bytes }),
  keyDirectory: plain({ kind: keyKind }),
  keyList: plain({ authorized: z.array(z.string()) }),
  keyRow: plain({ kind: keyKind }),
  keyUse: parseItem("item", itemSchema({}).catchall(z.number())),
  learning: parseLearning,
  learningRemoval: parseLearningRemoval,
  limit: parseItem("item", itemSchema({ ttl }).catchall(z.string())),
  listedLearning: (item) => ("moved_to" in item ? parseMoved(item) : parseLearning(item)),
  member: parseMember,
  madeKeys: parseMadeKeys,
  memberReads: parseMemberReads,
  memberReadsPart: parseMemberReads,
  moving: parseMoving,
  movingLog: parseLogMove,
  news: parseNews,
  tenantNews: parseNews,
  once: parseOnce,
  organization: parseOrganization,
  organizationDirectory: parseOrganizationDirectory,
  organizationEntry: (item) => parseEntry(item, owner),
  organizationLeft: parseOrganizationLeft,
  organizationPending: parsePending,
  organizationRemoval: (item) => parseRemoval(item, owner),
  owed: parseOwed,
  pending: parsePending,
  people: parsePeopleGuard,
  person: parsePerson,
  pointer: (item) => parsePointer(item, owner),
  pullRequestLearnings: parsePullRequestLearnings,
  reconciler: parseReconciler,
  reconcilerMarkers: parseReconcilerMarkers,
  refusal: plain({ at_ms: atMs, ttl }),
  relist: plain({ organization: z.string() }),
  removal: (item) => parseRemoval(item, owner),
  repairBoundary: parseBoundary,
  repairRun: parseRun,
  repairSegment: parseSegment,
  repository: parseRepository,
  role: parseRole,
  scans: (item) => parseLedger(item, owner),
  scopeEpochs: parseScopeEpochs,
  seatPool: parsePool,
  spill: (item) => parseSpill(item, owner),
  spillPart: plain({ d: bytes }),
  stale: parseStale,
  streamHead: parseHead,
  sweeper: parseSweeper,
  tagged: plain({}),
  team: parseTeam,
  tenant: (item) => ("admins" in item ? parseWorkspace(item) : parseInstance(item)),
  tenantOrganization: parseOrganization,
  text: parseText,
  tries: parseItem("item", itemSchema({ ttl }).loose()),
  vector: parseVector,
  vectorPiece: parseVector,
  waiting: parseWaiting,
  waitingByAge: parseWaitingByAge,
  webhook: parseWebhook,
  webhookCount: whole,
  webhookKey: sealingKeyOf,
  webhookSecrets: parseWebhookSecrets,
};

export const parseByKind = (item: Item): unknown => parsers[kindOf(item)](item);
