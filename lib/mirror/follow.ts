import type { Clock } from "../runtime/clock.ts";
import { exportPages } from "./pages.ts";
import type { ExportWalk } from "./sources.ts";

const everyMs = 10_000;
/** Longer than the service repeats an entry after it was first sent. */
const forgetAfterMs = 10 * 60_000;

/**
 * The records of a log as they come, each once, as JSON. `survive` throws the errors that end it; `isFirst` is true for
 * the first call.
 */
export async function* followLog(
  walk: ExportWalk,
  clock: Clock,
  survive: (error: unknown, isFirst: boolean) => void,
): AsyncGenerator<readonly string[]> {
  const seenAtMs = new Map<unknown, number>();
  let cursor: string | undefined;
  let isFirst = true;
  for (; ; await clock.sleep(everyMs)) {
    try {
      for await (const page of exportPages(walk, cursor)) {
        isFirst = false;
        const found = page.changes.filter((change) => change.kind === "written");
        const isNew = found.filter(({ fields }) => !seenAtMs.has(fields[walk.identity.thing]));
        for (const { fields } of found) seenAtMs.set(fields[walk.identity.thing], clock.nowMs());
        if (isNew.length > 0) yield isNew.map(({ json }) => json);
        cursor = page.nextCursor ?? page.resumeCursor ?? cursor;
      }
    } catch (error) {
      survive(error, isFirst);
      isFirst = false;
      continue;
    }
    // Only after a whole walk: after a break the service repeats what it sent before the break.
    for (const [id, atMs] of seenAtMs) if (atMs < clock.nowMs() - forgetAfterMs) seenAtMs.delete(id);
  }
}
