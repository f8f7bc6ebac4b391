import { changeEntry } from "../audit/entry.ts";
import { Fault } from "../contract/fault.ts";
import { embeddedText } from "../index/embedder.ts";
import { followChanged } from "../index/follow.ts";
import { isRight } from "../index/place.ts";
import { decideAnew } from "../store/decide.ts";
import type { LearningItem } from "../store/items/learning.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parseVectorHead, vectorHeadAttributes } from "../store/items/vector.ts";
import { textKey, vectorKey } from "../store/layout.ts";
import type { Item, TransactionWrite } from "../store/table.ts";
import { findLearning, type Held } from "./find.ts";
import { contentDigest } from "./identity.ts";
import { indexRefreshFailed } from "./index-fault.ts";
import { type LearningRecord, nameKeys, namesFrom, toLearningRecord } from "./present.ts";
import { changed, moment, recordWrites } from "./record.ts";
import { redact } from "./redaction/redact.ts";
import { textOwner, textWrite } from "./text-owner.ts";
import { type LearningDeps, learningEvent } from "./writer.ts";

export type UpdateRequest = {
  readonly organizations: readonly OrganizationItem[];
  readonly id: string;
  readonly text: string;
};

/** Replaces the text; its id, author and state stay. The same text again only lets the index follow. */
export async function updateLearning(
  deps: LearningDeps,
  { organizations, id, text }: UpdateRequest,
): Promise<LearningRecord> {
  const redacted = redact(text).text;
  const { updated, embedding, record } = await decideAnew(deps, async () => {
    const held = await findLearning(deps.table, organizations, id);
    if (!held) throw new Fault("LEARNING_NOT_FOUND", "No Learning of the key's scope has this id.");
    return await replaceText(deps, held, redacted);
  });
  if (embedding) {
    const failed = await followChanged(deps, [{ learning: updated, embedding }]);
    for (const [, reason] of failed) throw indexRefreshFailed(reason);
  }
  return record;
}

type Replaced = {
  readonly updated: LearningItem;
  readonly record: LearningRecord;
  /** Undefined where the index has nothing to follow. */
  readonly embedding: Promise<readonly number[]> | undefined;
};

async function replaceText(
  deps: LearningDeps,
  { organization, learning }: Held,
  text: string,
): Promise<Replaced> {
  const digest = contentDigest(learning.repository_id, text);
  const beside = await readBeside(deps, learning, digest);
  const present = (after: LearningItem) => toLearningRecord(after, organization, namesFrom(beside.names));
  if (digest === learning.digest) {
    const isSettled = learning.state !== "approved" || isRight(beside.head, learning, deps.embedder);
    const embedding = isSettled ? undefined : embed(deps, learning);
    return { updated: learning, record: present(learning), embedding };
  }
  if (textOwner(beside.newText).learningId !== null) {
    throw new Fault("LEARNING_EXISTS", "Another Learning of the repository has this text.");
  }
  const at = moment({ nowMs: deps.clock.nowMs(), chance: deps.chance }, organization.tenant, {
    indexedByWriter: true,
  });
  const updated = changed(at, learning, { text, digest });
  const embedding = updated.state === "approved" ? embed(deps, updated) : undefined;
  await deps.table.transact([
    ...recordWrites(at, learning, updated),
    ...moveText(learning, updated, beside),
    ...changeEntry(deps, learningEvent(organization, "learning.updated", [learning.id])),
  ]);
  return { updated, record: present(updated), embedding };
}

type Beside = {
  readonly oldText: Item | undefined;
  readonly newText: Item | undefined;
  readonly names: ReadonlyArray<Item | undefined>;
  readonly head: ReturnType<typeof parseVectorHead> | undefined;
};

async function readBeside({ table }: LearningDeps, learning: LearningItem, digest: string): Promise<Beside> {
  const { organization, id } = learning;
  const [[oldText, newText, ...names], head] = await Promise.all([
    table.getMany([
      textKey(organization, learning.digest),
      textKey(organization, digest),
      ...nameKeys(learning),
    ]),
    table.get(vectorKey(organization, id), { only: vectorHeadAttributes }),
  ]);
  return { oldText, newText, names, head: head && parseVectorHead(head) };
}

/** The id stays with the text it was made of: that text, should somebody else want it, makes the next one. */
const moveText = (
  { organization, digest, id }: LearningItem,
  after: LearningItem,
  { oldText, newText }: Beside,
): TransactionWrite[] => [
  textWrite(organization, digest, oldText, { learningId: null }),
  textWrite(organization, after.digest, newText, { learningId: id }),
];

function embed(deps: LearningDeps, learning: LearningItem): Promise<readonly number[]> {
  const embedding = deps.embedder.embed(embeddedText(learning), deps.signal);
  // Its failure is heard when it is waited for, after the record is written.
  embedding.catch(() => {});
  return embedding;
}
