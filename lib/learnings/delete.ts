import { type Changing, changeEntry } from "../audit/entry.ts";
import { followDeleted } from "../index/follow.ts";
import { decideAnew } from "../store/decide.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { textKey } from "../store/layout.ts";
import { ConditionFailed, type Table } from "../store/table.ts";
import { findLearning, findOrphans, type Held } from "./find.ts";
import { indexRefreshFailed } from "./index-fault.ts";
import { moment, removalWrites } from "./record.ts";
import { releaseWrites } from "./text-owner.ts";
import { learningEvent } from "./writer.ts";

export type DeleteRequest = { readonly organizations: readonly OrganizationItem[]; readonly id: string };

/** Nothing is left of it when this returns, whether or not there was anything. */
export async function deleteLearning(deps: Changing, { organizations, id }: DeleteRequest): Promise<void> {
  const deletion = await decideAnew(deps, async () => {
    const held = await findLearning(deps.table, organizations, id);
    return held && (await removeRecord(deps, held));
  });
  try {
    if (!deletion) await removeOrphans(deps.table, organizations, id);
    else if (deletion.wasIndexed) await followDeleted(deps, deletion);
  } catch (error) {
    throw indexRefreshFailed(error);
  }
}

async function removeRecord(deps: Changing, { organization, learning }: Held) {
  const { uuid, tenant } = organization;
  const { id, digest, origin, state } = learning;
  const [text, originText] = await deps.table.getMany([textKey(uuid, digest), textKey(uuid, origin.digest)]);
  const at = moment({ nowMs: deps.clock.nowMs(), chance: deps.chance }, tenant, { indexedByWriter: true });
  await deps.table.transact([
    ...removalWrites(at, learning),
    ...releaseWrites(learning, { text, origin: originText }),
    ...changeEntry(deps, learningEvent(organization, "learning.deleted", [id])),
  ]);
  return { organization: uuid, id, revision: at.revision, wasIndexed: state === "approved" };
}

/** An earlier deletion may have got no further than the record. */
async function removeOrphans(
  table: Table,
  organizations: readonly OrganizationItem[],
  id: string,
): Promise<void> {
  const orphans = await findOrphans(table, organizations, id);
  for (const { revision, ...key } of orphans) {
    try {
      // Not the vector of a Learning that was made anew meanwhile.
      await table.write({ delete: key, when: { equals: ["revision", revision] } }, { repeatable: true });
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}
