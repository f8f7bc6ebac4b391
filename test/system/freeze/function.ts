import { awsLimits } from "../../../lib/contract/limits.ts";
import { openStore } from "../../../lib/store/open.ts";

/** The timers of reused connections that fired, so far: each ended a wait for an answer. */
let overdue = 0;
const plain = globalThis.setTimeout;
globalThis.setTimeout = Object.assign(
  (callback: () => void, ms?: number) =>
    plain(() => {
      if (ms === awsLimits.reusedAnswerMsMax) overdue++;
      callback();
    }, ms),
  plain,
);

/**
 * Makes as many reads at once as a request does; returns how many waited in vain on a reused connection, and their
 * failures.
 */
export async function handler({ reads }: { readonly reads: number }) {
  overdue = 0;
  const { table } = openStore();
  const answers = await Promise.allSettled(
    Array.from({ length: reads }, (_, index) => table.get({ pk: String(index), sk: "ITEM" })),
  );
  return {
    overdue,
    failures: answers.flatMap((answer) => (answer.status === "rejected" ? [String(answer.reason)] : [])),
  };
}
