import { learningLimits } from "../../contract/limits.ts";
import { learningItem } from "../../contract/operations/learnings.ts";
import { firstProblemsOf, sentencesOf } from "../../contract/schema-sentences.ts";
import { turnTaker } from "../../runtime/turns.ts";
import { type LearningContent, redactContent } from "../content.ts";

/** One element of a batch, validated on its own. */
export type BatchItem = {
  readonly index: number;
  /** Null if its repository or its text cannot be used at all. */
  readonly content: LearningContent | null;
  /** Why it is invalid; null if it is valid. */
  readonly problem: string | null;
};

/** Other work runs between two texts: redacting a hundred long ones takes seconds. Ends with the caller's time. */
export async function readItems(data: readonly unknown[], signal: AbortSignal): Promise<BatchItem[]> {
  const takeTurn = turnTaker(learningLimits.charactersPerTurn);
  const items: BatchItem[] = [];
  for (const [index, raw] of data.entries()) {
    signal.throwIfAborted();
    const item = readItem(raw, index);
    items.push(item);
    await takeTurn(item.content?.text.length ?? 0);
  }
  return items;
}

function readItem(raw: unknown, index: number): BatchItem {
  const parsed = learningItem.safeParse(raw);
  if (!parsed.success) {
    const { issues } = parsed.error;
    const problem = firstProblemsOf(
      sentencesOf({ issues, schema: learningItem, value: raw, whole: "item" }),
    ).join(" ");
    return { index, problem, content: identifiable(raw) };
  }
  const { repository_id, learning, file, source_url } = parsed.data;
  const content = redactContent({
    repositoryId: repository_id,
    text: learning,
    file: file ?? null,
    sourceUrl: source_url ?? null,
  });
  return { index, problem: null, content };
}

/** An item that is invalid elsewhere still has the id derived from its repository and text. */
function identifiable(raw: unknown): LearningContent | null {
  const parsed = learningItem.pick({ repository_id: true, learning: true }).strip().safeParse(raw);
  if (!parsed.success) return null;
  const { repository_id, learning } = parsed.data;
  return redactContent({ repositoryId: repository_id, text: learning, file: null, sourceUrl: null });
}
