import { createHash } from "node:crypto";
import { msPerDay } from "../../contract/days.ts";
import type { OutgoingEvent } from "../../events/send.ts";
import { toTimestamp } from "../../runtime/clock.ts";
import type { ReportedFinding } from "../../security/finding.ts";
import { demoEvent } from "./event.ts";
import { android, checkout, type Repository, scheduler, storefront } from "./places.ts";

/** Open unless the state says otherwise. */
type Finding = Omit<ReportedFinding, "id" | "state"> & Partial<Pick<ReportedFinding, "state">>;

const redirect: Finding = {
  title: "Open redirect after sign-in",
  description: "The parameter `next` is followed without a check that it stays on this site.",
  severity: "high",
  cwe: "CWE-601",
  file_path: "src/session/sign-in.ts",
  start_line: 48,
  end_line: 52,
  evidence: ["return redirect(query.next)"],
};
const markup: Finding = {
  title: "Review text is inserted as HTML",
  description: "What customers write is put into the page as markup and can carry scripts.",
  severity: "critical",
  cwe: "CWE-79",
  file_path: "src/product/reviews.tsx",
  start_line: 91,
  end_line: 91,
  evidence: ["dangerouslySetInnerHTML={{ __html: review.body }}"],
};
const randomness: Finding = {
  title: "Voucher codes are predictable",
  description: "Codes are drawn from a generator that is not meant for secrets.",
  severity: "medium",
  cwe: "CWE-338",
  file_path: "src/vouchers/create.ts",
  start_line: 17,
  end_line: 24,
  evidence: ["Array.from({ length: 8 }, () => letters[Math.floor(random() * 32)])"],
};
const queryText: Finding = {
  title: "SQL built from a request parameter",
  description: "The sort column goes into the statement as text; a caller can end it and begin another.",
  severity: "critical",
  cwe: "CWE-89",
  file_path: "src/orders/list.ts",
  start_line: 33,
  end_line: 36,
  evidence: ["'SELECT * FROM orders ORDER BY ' + query.sort"],
};
const signature: Finding = {
  title: "Webhook signature compared in variable time",
  description: "The comparison ends at the first differing byte, which its duration gives away.",
  severity: "medium",
  cwe: "CWE-208",
  file_path: "src/payments/webhooks.ts",
  start_line: 22,
  end_line: 22,
  evidence: ["if (given === expected) {"],
};
const logging: Finding = {
  title: "Customer's e-mail address in the log",
  description: "A failed charge is logged with the whole order.",
  severity: "low",
  cwe: "CWE-532",
  file_path: "src/payments/charge.ts",
  start_line: 104,
  end_line: 106,
  evidence: ["log.error('charge failed', { order })"],
  state: "dismissed",
};
const exported: Finding = {
  title: "Activity is exported without a permission",
  description: "Any app on the device can start the payment screen with extras of its choice.",
  severity: "high",
  cwe: "CWE-926",
  file_path: "app/src/main/AndroidManifest.xml",
  start_line: 41,
  end_line: 45,
  evidence: ['android:exported="true"'],
};
const bounds: Finding = {
  title: "Index from user space is not checked",
  description: "The processor number of a request indexes an array before its bounds are checked.",
  severity: "high",
  cwe: "CWE-129",
  file_path: "kernel/sched/affinity.c",
  start_line: 212,
  end_line: 218,
  evidence: ["rq = per_cpu_queues[request->cpu];"],
};
const race: Finding = {
  title: "Reference is dropped twice on an error path",
  description: "Both the caller and the callee release the task when it cannot be queued.",
  severity: "medium",
  cwe: "CWE-415",
  file_path: "kernel/sched/core.c",
  start_line: 640,
  end_line: 655,
  evidence: ["put_task(task);"],
};

/** A finding that is missing from a repository's newest scan counts as fixed. */
const scans: ReadonlyArray<readonly [Repository, number, readonly Finding[]]> = [
  [storefront, 40, [redirect, markup]],
  [storefront, 6, [redirect, randomness]],
  [checkout, 33, [queryText, signature, logging]],
  [checkout, 3, [queryText, signature, logging]],
  [android, 9, [exported]],
  [scheduler, 27, [bounds, race]],
  [scheduler, 2, [bounds]],
];

export const scanEvents = (nowMs: number): readonly OutgoingEvent[] =>
  scans.map(([repository, daysAgo, findings]) => {
    const name = `${repository.fullName} ${daysAgo}`;
    const atMs = nowMs - daysAgo * msPerDay;
    return demoEvent("security_scan.completed", name, atMs, {
      ...repository.of,
      repository_id: repository.id,
      scan_id: `scan-${digest(name).slice(0, 12)}`,
      commit_sha: digest(`commit ${name}`).slice(0, 40),
      completed_at: toTimestamp(atMs),
      findings: findings.map((finding) => ({ id: digest(finding.title).slice(0, 16), ...finding })),
    });
  });

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
