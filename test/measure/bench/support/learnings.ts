import type { TenantKey } from "../../../../lib/contract/tenants.ts";
import { redactContent } from "../../../../lib/learnings/content.ts";
import { newLearning, recordWrites, writeContext } from "../../../../lib/learnings/record.ts";
import { textWrite } from "../../../../lib/learnings/text-owner.ts";
import { toTimestamp } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import type { Item } from "../../../../lib/store/table.ts";

/** About 400 characters, in the style of people. */
export const learningText = (number: number): string =>
  `Rule ${number}: ${"prefer explicit transactions over implicit retries when a handler writes twice; ".repeat(5)}`;

export type LearningStock = {
  readonly tenant: TenantKey;
  readonly organization: string;
  readonly repositoryId: string;
  readonly count: number;
  /** Time of the first one; each of the others is a second later. */
  readonly startMs: number;
};

/** The items that this many Learnings write to the table, by the writer's own code; the review index is left out. */
export function* learningItems({
  tenant,
  organization,
  repositoryId,
  count,
  startMs,
}: LearningStock): Generator<Item> {
  for (let number = 0; number < count; number++) {
    const nowMs = startMs + number * 1_000;
    const at = writeContext({ nowMs, random: systemRandom }, tenant, { indexedByWriter: true });
    const content = redactContent({ repositoryId, text: learningText(number), file: null, sourceUrl: null });
    const learning = newLearning(at, organization, content, {
      generation: 1,
      state: "approved",
      pull_requests: [],
      approve_at: null,
      author_id: "boss",
      created_at: toTimestamp(nowMs),
    });
    const claim = textWrite(organization, content.digest, undefined, { learningId: learning.id, takes: 1 });
    for (const write of [...recordWrites(at, undefined, learning), claim])
      if ("put" in write && !write.put.pk.startsWith("STALE#")) yield write.put;
  }
}
