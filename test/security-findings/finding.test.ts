import fc from "fast-check";
import { expect, test } from "vitest";
import { findingStates } from "../../lib/contract/records-security.ts";
import {
  found,
  missing,
  placeOf,
  type Row,
  type ScanReference,
  stateOf,
} from "../../lib/security/finding.ts";
import { expectedFindings, finding, scan, type Telling } from "./support.ts";

/** A few scans about one finding: null where the scan does not have it. */
const tellings = fc
  .array(fc.constantFrom(...findingStates, null), { minLength: 1, maxLength: 7 })
  .map((states) =>
    states.map((state, hour) => scan(hour, state ? [finding("a", { state, title: `At ${hour}` })] : [])),
  );

/** The row and the newest scan after these, as they came in. */
function fold(delivered: readonly Telling[]): { row: Row | undefined; newest: ScanReference | undefined } {
  let row: Row | undefined;
  let newest: ScanReference | undefined;
  for (const { findings, completed_at, occurred_at, event_id, scan_id, commit_sha } of delivered) {
    const version = `${completed_at}#${occurred_at}#${event_id}`;
    const reference = { version, scanId: scan_id, commitSha: commit_sha, completedAt: completed_at };
    const telling = { scan: reference, newestBefore: newest };
    const [told] = findings;
    const isToldAgain = newest?.version === version;
    if (told && !isToldAgain) {
      const state = findingStates.find((each) => each === told.state) ?? "open";
      row = found(row, placeOf("a"), { ...told, severity: "high", state }, telling);
    } else if (row && !isToldAgain) row = missing(row, telling);
    if (!newest || version > newest.version) newest = reference;
  }
  return { row, newest };
}

test("what scans say of a finding folds to the same row in every order, and to the right state", () => {
  const orders = tellings.chain((each) =>
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
      expect(row && stateOf(row)).toBe(expected?.state);
      expect(row?.finding.title).toBe(expected?.title);
      expect((row?.last ?? newest)?.completedAt ?? undefined).toBe(
        expected ? expected.updated_at : newest?.completedAt,
      );
    }),
    { numRuns: 3_000 },
  );
});
