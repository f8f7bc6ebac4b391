import { expect, test } from "vitest";
import { findingStates } from "../../lib/contract/records-security.ts";
import {
  type FindingRow,
  findingStateOf,
  placeOf,
  rowWithFinding,
  rowWithoutFinding,
  type ScanReference,
} from "../../lib/security/finding.ts";
import { finding } from "../support/event-data.ts";
import fc from "../support/property.ts";
import { expectedFindings, type ScanData, scan } from "./support.ts";

/** A few scans about one finding: null if the scan does not have it. */
const scans = fc
  .array(fc.constantFrom(...findingStates, null), { minLength: 1, maxLength: 7 })
  .map((states) =>
    states.map((state, hour) => scan(hour, state ? [finding("a", { state, title: `At ${hour}` })] : [])),
  );

/** The row and the newest scan after applying these scans in the order received. */
function fold(delivered: readonly ScanData[]): {
  row: FindingRow | undefined;
  newest: ScanReference | undefined;
} {
  let row: FindingRow | undefined;
  let newest: ScanReference | undefined;
  for (const { findings, completed_at, occurred_at, event_id, scan_id, commit_sha } of delivered) {
    const version = `${completed_at}#${occurred_at}#${event_id}`;
    const reference = { version, scanId: scan_id, commitSha: commit_sha, completedAt: completed_at };
    const progress = { scan: reference, newestBefore: newest };
    const [reported] = findings;
    const isRepeated = newest?.version === version;
    if (reported && !isRepeated) {
      const state = findingStates.find((each) => each === reported.state) ?? "open";
      row = rowWithFinding(row, placeOf("a"), { ...reported, severity: "high", state }, progress);
    } else if (row && !isRepeated) row = rowWithoutFinding(row, progress);
    if (!newest || version > newest.version) newest = reference;
  }
  return { row, newest };
}

test("scans of a finding produce the same row and the right state in every order", () => {
  const orders = scans.chain((each) =>
    fc.tuple(
      fc.constant(each),
      fc.shuffledSubarray([...each, ...each], { minLength: each.length * 2, maxLength: each.length * 2 }),
    ),
  );
  fc.assert(
    fc.property(orders, ([inOrder, delivered]) => {
      const { row, newest } = fold(delivered);
      expect({ row, newest }).toEqual(fold(inOrder));
      const [expected] = expectedFindings(inOrder);
      expect(row && findingStateOf(row)).toBe(expected?.state);
      expect(row?.finding.title).toBe(expected?.title);
      expect((row?.last ?? newest)?.completedAt ?? undefined).toBe(
        expected ? expected.updated_at : newest?.completedAt,
      );
    }),
    { numRuns: 3_000 },
  );
});
