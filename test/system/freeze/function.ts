import { openStore } from "../../../lib/store/open.ts";

/** Makes as many reads at once as a request does; returns their duration and their failures. */
export async function handler({ reads }: { readonly reads: number }) {
  const startedMs = performance.now();
  const { table } = openStore();
  const answers = await Promise.allSettled(
    Array.from({ length: reads }, (_, index) => table.get({ pk: String(index), sk: "ITEM" })),
  );
  return {
    ms: performance.now() - startedMs,
    failures: answers.flatMap((answer) => (answer.status === "rejected" ? [String(answer.reason)] : [])),
  };
}
