import { parseLedger } from "../../lib/security/ledger.ts";
import { parseAudit } from "../../lib/store/items/audit.ts";
import { parseKey } from "../../lib/store/items/key.ts";
import {
  parseLearning,
  parseLearningRemoval,
  parsePending,
  parsePullRequestLearnings,
  parseText,
} from "../../lib/store/items/learning.ts";
import { parseLogMove } from "../../lib/store/items/log-move.ts";
import { parseMoving } from "../../lib/store/items/moving.ts";
import { parseOrganization } from "../../lib/store/items/organization.ts";
import { parseOwed } from "../../lib/store/items/owed.ts";
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
import { parseReconciler, parseStale, parseVector } from "../../lib/store/items/vector.ts";
import { parseWaiting, parseWaitingByAge } from "../../lib/store/items/waiting.ts";
import {
  parseDelivery,
  parseNews,
  parseOnce,
  parseWebhook,
  parseWebhookSecrets,
} from "../../lib/store/items/webhook.ts";
import { isWebhookCount } from "../../lib/store/layout.ts";
import type { Item } from "../../lib/store/table.ts";
import { parseEntry } from "../../lib/stream/entry.ts";
import { parseHead } from "../../lib/stream/head.ts";
import { parsePointer } from "../../lib/stream/pointer.ts";
import { parseRemoval } from "../../lib/stream/removal.ts";
import { parseSpill } from "../../lib/stream/spill.ts";
import { kindOf } from "./item-kinds.ts";

const owner = "6f1c2b7e-0000-4000-8000-000000000000";
const parsers: Readonly<Record<string, (item: Item) => unknown>> = {
  "API key": parseKey,
  Learning: parseLearning,
  "audit entry": parseAudit,
  "audit log that moves": parseLogMove,
  "custom role": parseRole,
  "entry, tenant's copy": (item) => parseEntry(item, owner),
  "epochs of its scope": parseScopeEpochs,
  "findings of repository": (item) => parseLedger(item, owner),
  member: parseMember,
  "member's repositories": parseMemberReads,
  organization: parseOrganization,
  "organization of tenant": parseOrganization,
  "organization that left": parseOrganizationLeft,
  "organization that moves": parseMoving,
  "owed copies of an entry": parseOwed,
  "owner of a text": parseText,
  "pending, by organization": parsePending,
  "people guard": parsePeopleGuard,
  "person of a workspace": parsePerson,
  "person of another org": parsePerson,
  "pull request (pointer)": (item) => parsePointer(item, owner),
  "pull request's Learnings": parsePullRequestLearnings,
  "reconciler's place": parseReconciler,
  "removal of a Learning": parseLearningRemoval,
  "removal, tenant's copy": (item) => parseRemoval(item, owner),
  repository: parseRepository,
  "seat pool of workspace": parsePool,
  "spill of a large entry": (item) => parseSpill(item, owner),
  "stream head": parseHead,
  team: parseTeam,
  "to be indexed": parseStale,
  "vector of a Learning": parseVector,
  "attempt of a delivery": parseDelivery,
  "news for webhooks": parseNews,
  "request made once": parseOnce,
  "secrets of a webhook": parseWebhookSecrets,
  webhook: (item) => (isWebhookCount(item) ? item : parseWebhook(item)),
  "waiting event": parseWaiting,
  "waiting, by age": parseWaitingByAge,
  "waits for approval": parsePending,
};

/** Parses an item like the code that reads its kind. Kinds that are not listed have no parser. */
export const parseByKind = (item: Item): unknown => parsers[kindOf(item)]?.(item);
