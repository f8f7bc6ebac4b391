// biome-ignore-all format: a row is read as a row
/**
 * The single table: one row a kind of item. Keys, grants, moves, the removal, the repair, recorded items and
 * docs/change/item-growth.md follow from the rows. IAM can restrict a role to partitions, not to sort keys, so kinds
 * that different functions write are in different partitions: a function that gives seats cannot write a member, a
 * role or an organization.
 */
import { kind } from "./kind.ts";
import { peopleLimits, webhookLimits } from "./limits.ts";

// Keys (lib/access).
export const apiKey = kind("KEY#{keyId}", "KEY", { owner: "key",
  purpose: "An API key: the hashes of its values, and what it may do.",
  rights: [
    "hash", "old_hash", "rotated_at", "old_until", "salt", "kind", "tenant", "workspace_id", "instance_id", "authorized",
    "owner", "role", "expires_at_ms", "revoked_at", "only", "made_by",
  ] });
export const keyList = kind("KEY-LIST#{keyId}", "LIST", { owner: "key",
  purpose: "The organizations that an instance key may see. Not in the key's item: a made-up key costs one small read.",
  rights: ["authorized"],
  grows: { what: "organizations that an instance key may see", bound: "`keyLimits.authorizedOrganizationsMax`",
    beyond: "the key is not created", test: "test/access/key-registry.test.ts" } });
export const madeKeys = kind("MADE#{keyId}", "MADE", { owner: "key",
  purpose: "The keys that a key made, which end with it.",
  grows: { what: "keys that have not ended", bound: "`keyLimits.madeKeysMax`",
    beyond: "409 `KEY_LIMIT_REACHED`", test: "test/functions/make-key.test.ts" } });
export const keyUse = kind("USED#{keyId}", "USED", { owner: "key",
  purpose: "When each value of a key was last used. Every function writes it, so it is not in the partition of the key." });
export const keyDirectory = kind("DIRECTORY#KEY", "{keyId}", { owner: "key",
  purpose: "All keys, for the operator's tool." });
export const keyRow = kind("KEYS#{tenant}", "KEY#{keyId}", { owner: "tenant",
  purpose: "The keys of an organization, and those of a whole workspace or instance, each in the order of their ids.",
  few: { most: 1_000, because: "assumed; only the deletion of a role reads them" } });
export const refusal = kind("REFUSED#{keyId}", "{reason}", { owner: "key", foundBy: "expiry", expires: true,
  purpose: "When the refused use of a key was last recorded." });
export const limit = kind("LIMIT#{bucket}#{owner}", "SLOTS", { owner: "service", expires: true,
  purpose: "The calls of a window of a rate limit.",
  grows: { what: "slots, one for each call of a window", bound: "the operation's `requestsMax`",
    beyond: "429 `RATE_LIMIT_EXCEEDED`", test: "test/access/rate-limiter.test.ts" } });
export const cursorKeys = kind("CURSOR-KEYS", "CURSOR-KEYS", { owner: "service",
  purpose: "The keys that encrypt cursors.",
  grows: { what: "keys whose cursors are still valid",
    bound: "one for every `cursorLimits.keyDaysMax` of `resumeAgeDaysMax`",
    beyond: "the oldest key is dropped", test: "test/http/cursor-keys.test.ts" } });

// Organizations and their tenants (lib/organizations).
const rightsOfOrganization = ["tenant", "plan", "subscription_active", "active", "metrics", "deployment"] as const;
export const organization = kind("ORG#{organization}", "ORG", { owner: "organization", moves: "event",
  purpose: "An organization. Decides about its copies.", repair: "scope",
  rights: rightsOfOrganization });
export const tenantOrganization = kind("ORGS#{tenant}", "ORG#{organization}", { owner: "organization", moves: "event",
  purpose: "The copy of an organization in its tenant, where one query finds all of them.", repair: "scope",
  few: { most: 2_400, because: "a larger workspace is throttled: docs/operate/scale.md" },
  rights: rightsOfOrganization });
export const scopeEpochs = kind("ORGS#{tenant}", "ORG#!EPOCHS", { owner: "tenant", repair: "scope",
  purpose: "Counts changes of the tenant's scope. In the range of its organizations: no read unit of its own." });
export const organizationLeft = kind("ORGS#{tenant}", "LEFT#{organization}", { owner: "organization", moves: "event",
  purpose: "An organization that left its readers' scope: moved, deactivated or on another plan.",
  few: { most: 2_400, because: "as many as the organizations; they expire" },
  repair: "scope", expires: true });
export const tenant = kind("TENANT#{tenant}", "TENANT", { owner: "tenant",
  purpose: "A workspace with its admins, or an instance.",
  grows: { what: "admins of a workspace", bound: "`eventLimits.workspaceAdminsBytesMax`",
    beyond: "the event is refused", test: "test/proofs/store/item-growth.test.ts" } });
export const organizationDirectory = kind("DIRECTORY#ORG", "{providerId!}#{organization}", {
  owner: "organization", moves: "stays",
  purpose: "All organizations by the provider's id, for the operator's tool and for workers that visit all of them." });
export const repository = kind("ORG#{organization}", "REPO#{repositoryId!}", { owner: "organization", moves: "stays",
  purpose: "A repository.",
  few: { most: 5_000, because: "assumed; only `repository_name` of Learnings reads them" } });
export const moving = kind("MOVING", "{organization}", { owner: "organization", moves: "event",
  purpose: "An organization whose data is still moving to another tenant, and how far it has got." });
export const movingLog = kind("MOVING-LOG", "{organization}", { owner: "organization", moves: "event",
  purpose: "An organization whose audit log is still being copied to its tenant." });

// People (lib/people).
export const people = kind("PEOPLE#{organization}", "PEOPLE", { owner: "organization", moves: "people",
  purpose: "Guards the people of an organization: roles, counts, and the seats of its own pool.",
  rights: ["roles", "default_role"],
  grows: { what: "roles, their names, permissions and counts", bound: "`peopleLimits.customRolesMax`",
    beyond: "409 `ROLE_LIMIT_REACHED`", test: "test/functions/roles.test.ts" } });
export const member = kind("MEMBERS#{organization}", "MEMBER#{userId!}", { owner: "organization", moves: "people",
  purpose: "A member with role, seat and pool.",
  rights: ["role", "active"] });
const repositoriesOfMember = "repositories the member can read";
const rightsOfReads = ["all", "parts", "repository_ids"] as const;
export const memberReads = kind("ORG#{organization}", "READS#{userId!}", { owner: "organization", moves: "stays",
  purpose: "The repositories that a member can read.",
  rights: rightsOfReads,
  grows: { what: repositoriesOfMember, bound: "`eventLimits.readablePartBytesMax`",
    beyond: "the list continues in the next part", test: "test/people/save-member.test.ts" } });
export const memberReadsPart = kind("ORG#{organization}", "READS#{userId!}#{part:2}", {
  owner: "organization", moves: "stays",
  purpose: "A further part of a list of repositories that is too long for one item.",
  rights: rightsOfReads,
  grows: { what: repositoriesOfMember, bound: "`eventLimits.readablePartBytesMax`, all parts `readableBytesMax`",
    beyond: "the event is refused", test: "test/people/save-member.test.ts" } });
export const tagged = kind("ORG#{organization}", "TAGGED#{userId!}", { owner: "organization", moves: "stays",
  purpose: "A person tagged the reviewer. The member may not be known yet." });
export const team = kind("TEAMS#{organization}", "TEAM#{teamId!}", { owner: "organization", moves: "stays",
  purpose: "A team and its members.",
  grows: { what: "its members", bound: "`teamLimits.usersMax`, `usersBytesMax`",
    beyond: "the event is refused", test: "test/functions/teams.test.ts" } });
export const role = kind("ROLES#{organization}", "ROLE#{roleId}", { owner: "organization", moves: "stays",
  purpose: "A custom role.",
  few: { most: peopleLimits.customRolesMax, because: "`peopleLimits.customRolesMax`" } });
export const seatPool = kind("SEATS#{pool}", "SEATS", { owner: "tenant",
  purpose: "The seats of a workspace. An organization's own pool is part of its people guard." });
export const person = kind("SEATS#{pool}", "PERSON#{person}", { owner: "organization", moves: "people",
  purpose: "A person of a pool and their seat. In a workspace one e-mail address is one person.",
  grows: { what: "memberships of one e-mail address", bound: "`peopleLimits.membershipsMax`",
    beyond: "the membership becomes a separate person", test: "test/proofs/people/crowded.test.ts" } });

// The audit log (lib/audit).
export const audit = kind("AUDIT#{tenant}#{month}", "{time}#{entryId}", {
  owner: "organization", moves: "log", foundBy: "expiry", expires: true,
  purpose: "An audit entry, under the tenant and under the organization (`o#…`); once if the two are the same.",
  grows: { what: "ids of a batch and failures; organizations of people",
    bound: "`peopleLimits.batchUsersMax`, `organizationsNamedMax`",
    beyond: "400 `BATCH_SIZE_EXCEEDED`; the entry has the first ids and a count",
    test: "test/proofs/people/many-organizations.test.ts" } });
export const owed = kind("OWED", "{name}", { owner: "service", expires: true,
  purpose: "Copies of an audit entry that are not written yet.",
  grows: { what: "the content of the copies", bound: "`auditLimits.owedBytesMax`",
    beyond: "the copies are stored in several items", test: "test/proofs/people/many-organizations.test.ts" } });

// The write-order stream (lib/stream).
export const streamHead = kind("S#{tenant}", "HEAD", { owner: "tenant", repair: "stream",
  purpose: "The numbers of a tenant's stream, its weeks, and what is pending of the last append.",
  grows: { what: "weeks in use, what is pending of the last append",
    bound: "`streamLimits.weeksMax`, `changesPerTransactionMax`",
    beyond: "the event is refused; the append takes several transactions", test: "test/stream/weeks.test.ts" } });
const growthOfEntry = { what: "the payload", bound: "`streamLimits.inlineBytesMax`",
  beyond: "it spills into parts", test: "test/stream/parts.test.ts" } as const;
export const entry = kind("S#{tenant}#{dataset}#{week:0}", "{number:10}", {
  owner: "organization", moves: "metrics", foundBy: "streamHead", repair: "stream",
  purpose: "A pull request in a dataset of the tenant.", grows: growthOfEntry });
export const organizationEntry = kind("S#{tenant}#{organization}#{dataset}#{week:0}", "{number:10}", {
  owner: "organization", moves: "metrics", foundBy: "streamHead", repair: "stream",
  purpose: "The copy of an entry for readers of one organization.", grows: growthOfEntry });
export const removal = kind("S#{tenant}#{dataset}#removed", "{number:10}", {
  owner: "organization", expires: true, moves: "metrics", foundBy: "streamHead", repair: "stream",
  purpose: "A pull request that left the dataset of the tenant." });
export const organizationRemoval = kind("S#{tenant}#{organization}#{dataset}#removed", "{number:10}", {
  owner: "organization", expires: true, moves: "metrics", foundBy: "streamHead", repair: "stream",
  purpose: "The copy of a removal for readers of one organization." });
export const pointer = kind("PR#{organization}", "{pointerId}", {
  owner: "organization", moves: "metrics", repair: "stream",
  purpose: "Where the entries of a pull request are; the id is a digest of its identity." });
export const spill = kind("SPILL#{organization}", "{spillId}", { owner: "organization", expires: true, moves: "stays", repair: "stream",
  purpose: "An entry that is too large for one item: names its parts." });
export const spillPart = kind("PART#{spillId}#{index:4}", "PART", {
  owner: "organization", moves: "stays", foundBy: "spill", repair: "stream",
  purpose: "A part of a spill. Fifty parts in one partition would exceed what it can read and write at a time.",
  grows: { what: "bytes", bound: "`streamLimits.partBytesMax`",
    beyond: "one more part", test: "test/stream/spill.test.ts" } });
export const sweeper = kind("SWEEPER", "SPILLS", { owner: "service",
  purpose: "How far the search for parts that no entry names has got." });
export const repairRun = kind("REPAIR", "RUN", { owner: "service", purpose: "A repair in progress." });
export const repairBoundary = kind("REPAIR", "BEFORE#{tenant}", { owner: "service",
  purpose: "The numbers of a stream from before the restore that is being repaired." });
export const repairSegment = kind("REPAIR", "SEGMENT#{index:2}", { owner: "service",
  purpose: "How far a repair has got in one part of the table." });

// Learnings (lib/learnings) and the review index (lib/index).
export const learning = kind("LEARNING#{organization}", "{learningId}", { owner: "organization", moves: "learnings",
  purpose: "A Learning in any state.",
  grows: { what: "the text, and open pull requests that keep it private",
    bound: "`learningLimits.textCharactersMax`, `pullRequestsMax`",
    beyond: "`INVALID_ITEM`; the event is refused", test: "test/learnings/full-items.test.ts" } });
export const text = kind("TEXT#{organization}", "{digest}", { owner: "organization", moves: "stays", expires: true,
  purpose: "The Learning that has a text, and the ids that were made of the text.",
  grows: { what: "generations of ids of the text that are in use", bound: "`learningLimits.generationsMax`",
    beyond: "`STORAGE_FAILED`; the event is refused", test: "test/learnings/full-items.test.ts" } });
export const listedLearning = kind("LEARNINGS#{tenant}", "{place}", {
  owner: "organization", moves: "learnings", expires: true,
  purpose: "A Learning in the export of a tenant or an organization, or the note that it moved to a later place.",
  grows: { what: "the text", bound: "`learningLimits.textCharactersMax`",
    beyond: "`INVALID_ITEM`", test: "test/learnings/create.test.ts" } });
export const learningRemoval = kind("LEARNINGS#{tenant}#removed", "{place}", {
  owner: "organization", moves: "learnings", expires: true,
  purpose: "A Learning that left the export. Ordered like the list, after the last place of the Learning there." });
export const pending = kind("PENDING", "{approveAt}#{organization}#{learningId}", {
  owner: "organization", moves: "stays", foundBy: "organizationPending",
  purpose: "A Learning that waits for approval, of all organizations." });
export const organizationPending = kind("PENDING#{organization}", "{approveAt}#{organization}#{learningId}", {
  owner: "organization", moves: "stays",
  purpose: "The same by organization, for its admins, at the same place." });
export const pullRequestLearnings = kind("PRIVATE#{organization}", "{digest}", {
  owner: "organization", moves: "stays", expires: true,
  purpose: "What is known about a pull request in which Learnings were captured.",
  grows: { what: "private Learnings that were captured in it", bound: "`learningLimits.perPullRequestMax`",
    beyond: "the event is refused", test: "test/learnings/full-items.test.ts" } });
export const relist = kind("RELIST", "{dueAt}#{organization}", { owner: "organization", moves: "learnings",
  purpose: "An organization whose Learnings are listed a second time after its move." });
export const applied = kind("APPLIED#{eventId}", "APPLIED", { owner: "event", foundBy: "expiry", expires: true,
  purpose: "An event that counts once, however often it is delivered." });
export const vector = kind("VECTOR#{organization}", "{learningId}", { owner: "organization", moves: "stays",
  purpose: "The vector of a Learning in the review index." });
export const vectorPiece = kind("VECTOR#{organization}", "{learningId}#{piece:0}", {
  owner: "organization", moves: "stays",
  purpose: "The vector of a further piece of a long text." });
export const stale = kind("STALE#{shard:2}", "{organization}#{learningId}#{revision}", {
  owner: "organization", moves: "stays", foundBy: "shards",
  purpose: "A Learning that the review index does not follow yet." });
export const reconciler = kind("RECONCILER", "INDEX", { owner: "service",
  purpose: "How far the check of the whole index has got." });
export const reconcilerMarkers = kind("RECONCILER", "MARKERS", { owner: "service",
  purpose: "How far the work on stale Learnings has got." });

// Security findings (lib/security).
export const scans = kind("SCANS#{organization}", "{digest}", { owner: "organization", moves: "stays",
  purpose: "The scans of a repository. A digest replaces its id: cursors hold it, and ids may be long.",
  grows: { what: "references to chunks of findings", bound: "`securityLimits.chunksMax`",
    beyond: "the event is refused", test: "test/proofs/security-findings/full-ledger.test.ts" } });
export const findings = kind("FINDINGS#{organization}#{digest}", "{chunkId}", {
  owner: "organization", moves: "stays", foundBy: "scans",
  purpose: "A chunk of the findings of a repository.",
  grows: { what: "findings", bound: "`securityLimits.chunkBytesMax`",
    beyond: "the chunk is cut into several", test: "test/security-findings/pieces.test.ts" } });

// Platform events (lib/events).
export const waiting = kind("WAITING#{dependency}", "{version}", { owner: "event", foundBy: "waitingByAge",
  purpose: "An event that waits for another item. Its version is unique: an event that is delivered twice waits once.",
  grows: { what: "the message", bound: "`queueLimits.messageBytesMax`",
    beyond: "the event is refused: send it by reference", test: "test/events/send.test.ts" } });
export const waitingByAge = kind("WAITING", "{since}#{eventId}", { owner: "event", foundBy: "waitingByAge",
  purpose: "The waiting events by age." });
export const tries = kind("TRIES#{messageId!}", "TRIES", { owner: "event", expires: true,
  purpose: "Failed tries of a queue message.",
  grows: { what: "tries that were not taken back", bound: "`eventLimits.triesMax`",
    beyond: "the event becomes a dead letter", test: "test/events/poison.test.ts" } });

// Webhooks (lib/webhooks).
export const webhook = kind("WEBHOOKS#{shard:2}", "{tenant}#{webhookId}", { owner: "tenant", foundBy: "shards",
  purpose: "A webhook of an organization, a workspace or an instance.",
  few: { most: webhookLimits.perScopeMax + 1, because: "`webhookLimits.perScopeMax`, and their count" },
  rights: ["authorized", "owner"],
  grows: { what: "organizations of the instance key that created it", bound: "`keyLimits.authorizedOrganizationsMax`",
    beyond: "the key is not created", test: "test/access/key-registry.test.ts" } });
export const webhookCount = kind("WEBHOOKS#{shard:2}", "{tenant}#!COUNT", { owner: "tenant", foundBy: "shards",
  purpose: "The number of webhooks of an owner. In the range of the webhooks, before all of them." });
export const webhookSecrets = kind("WEBHOOK-SECRETS#{webhookId}", "SECRETS", { owner: "webhook",
  purpose: "The secrets that sign the rings of a webhook, encrypted.",
  grows: { what: "secrets that still sign", bound: "`webhookLimits.oldSecretsMax`",
    beyond: "the oldest secret ends", test: "test/webhooks/secrets.test.ts" } });
export const webhookKey = kind("WEBHOOK-KEY", "WEBHOOK-KEY", { owner: "service",
  purpose: "The key that encrypts the secrets of webhooks." });
export const once = kind("ONCE#{keyId}", "{request}#{value}", { owner: "key", foundBy: "expiry", expires: true,
  purpose: "What a request with an idempotency key made: the operation and what it acts on, and the value that the caller sent." });
export const delivery = kind("DELIVERIES#{webhookId}", "{place}#{attempt:2}", { owner: "webhook", expires: true,
  purpose: "The attempts to deliver a ring, at the time of the last one.",
  grows: { what: "attempts; what the ring names", bound: "`webhookLimits.attemptsShown`, `namedMax`",
    beyond: "the oldest attempts are dropped; the ring names the newest", test: "test/proofs/webhooks/failing.test.ts" } });
export const news = kind("NEWS#{tenant}", "{time}#{organization}#{id!}", {
  owner: "organization", moves: "news", expires: true,
  purpose: "A note for webhooks, at the time when it is due, under the tenant and under the organization (`o#…`)." });
export const tenantNews = kind("NEWS#{tenant}", "{time}#!#{id!}", { owner: "tenant", expires: true,
  purpose: "A note about a whole workspace or instance, or about a webhook of the owner.",
  grows: { what: "organizations of the instance key or webhook", bound: "`keyLimits.authorizedOrganizationsMax`",
    beyond: "the key is not created", test: "test/access/key-registry.test.ts" } });
