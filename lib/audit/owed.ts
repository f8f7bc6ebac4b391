import * as kinds from "../contract/items.ts";
import { partsOf } from "../contract/kind.ts";
import { auditLimits, peopleLimits, storeLimits } from "../contract/limits.ts";
import { type Clock, toTimestamp } from "../runtime/clock.ts";
import { ErrorCollector } from "../runtime/error-collector.ts";
import { required } from "../runtime/required.ts";
import { type OwedItem, parseOwed } from "../store/items/owed.ts";
import { auditKey } from "../store/layout.ts";
import { type Put, queryAll, type Table, type TransactionWrite, transactIf } from "../store/table.ts";

/**
 * A change and its audit entry are one transaction. If the copies of the entry do not fit (a person of a thousand
 * organizations has as many logs), the transaction holds the tenant's copy and notes about the other copies. The notes
 * are settled right after the transaction, or by the scheduled worker: no copy is lost, and none is written twice.
 */
export type AuditedWrites = {
  readonly writes: readonly TransactionWrite[];
  readonly owed: readonly OwedItem[];
};

type OwedDeps = { readonly table: Table; readonly clock: Clock };

/** The changes with all copies of their entry, or with the first copy and notes about the others. */
export function withCopies(changes: readonly TransactionWrite[], copies: readonly Put[]): AuditedWrites {
  const all = [...changes, ...copies];
  if (fitTogether(all)) return { writes: all, owed: [] };
  const owed = owedOf(copies.slice(1));
  const writes: TransactionWrite[] = [...changes, ...copies.slice(0, 1)];
  // The copies may name hundreds of people who failed. Notes that do not fit are not stored, but still settled.
  for (const item of owed) {
    const isSmall = bytesOf(item) <= auditLimits.owedBytesMax;
    if (isSmall && fitTogether([...writes, { put: item }])) writes.push({ put: item });
  }
  return { writes, owed };
}

const fitTogether = (writes: readonly TransactionWrite[]): boolean =>
  writes.length <= storeLimits.transactionActionsMax && bytesOf(writes) <= peopleLimits.transactionBytesMax;

/** The size as JSON, including conditions: more than DynamoDB counts. */
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Each note holds as many copies as one transaction can write together with the note itself. */
function owedOf(copies: readonly Put[]): OwedItem[] {
  const owed: OwedItem[] = [];
  let rest = copies;
  while (rest.length > 0) {
    const count = countTogether(rest);
    owed.push(noteOf(rest.slice(0, count), owed.length));
    rest = rest.slice(count);
  }
  return owed;
}

function countTogether(copies: readonly Put[]): number {
  const texts = new Set<string>();
  let writtenBytes = 0;
  let noteBytes = 0;
  let count = 0;
  for (const copy of copies) {
    const { summary, metadata, ...others } = copy.put;
    const text = JSON.stringify({ summary, metadata });
    writtenBytes += bytesOf(copy.put);
    noteBytes += bytesOf(others) + (texts.has(text) ? 0 : Buffer.byteLength(text));
    const isFull =
      count + 1 >= storeLimits.transactionActionsMax ||
      writtenBytes > peopleLimits.transactionBytesMax ||
      noteBytes > auditLimits.owedBytesMax;
    if (count > 0 && isFull) break;
    texts.add(text);
    count++;
  }
  return count;
}

function noteOf(copies: readonly Put[], number: number): OwedItem {
  const texts = new Map<string, { readonly index: number; readonly text: OwedItem["entry"] }>();
  let name = "";
  let shared: OwedItem["entry"] = {};
  const own = copies.map(({ put }) => {
    const { pk, sk, created_at: createdAt, summary, metadata, ...others } = put;
    const { id, organization, organization_id, organizations, ...entry } = others;
    const text = defined({ summary, metadata });
    const known = texts.get(JSON.stringify(text)) ?? { index: texts.size, text };
    texts.set(JSON.stringify(text), known);
    name = `${createdAt}#${id}#${number}`;
    shared = defined(entry);
    return {
      owner: required(partsOf(kinds.audit, { pk, sk }), "key of an audit entry").tenant,
      text: known.index,
      own: defined({ id, organization, organization_id, organizations }),
    };
  });
  return {
    ...kinds.owed.key({ name }),
    entry: shared,
    texts: [...texts.values()].map(({ text }) => text),
    copies: own,
  };
}

const defined = (attributes: Put["put"] | object): OwedItem["entry"] =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

/** Writes the copies of each note in one transaction with the end of the note: a second run finds nothing to do. */
export async function writeOwed(deps: OwedDeps, owed: readonly OwedItem[]): Promise<void> {
  for (const item of owed) {
    const momentMs = deps.clock.nowMs();
    const change = {
      set: [
        ["settled", true],
        ["ttl", Math.ceil(momentMs / 1000)],
      ],
      remove: ["entry", "texts", "copies"],
    } as const;
    await transactIf(deps.table, [
      { update: { pk: item.pk, sk: item.sk }, change, when: { absent: "settled" } },
      ...copiesOf(item, momentMs),
    ]);
  }
}

/** The copies get the time at which they are written: a walk that was here before reads them when it continues. */
function copiesOf({ entry, texts, copies }: OwedItem, momentMs: number): Put[] {
  const createdAt = toTimestamp(momentMs);
  return copies.map(({ owner, text, own }) => ({
    put: {
      ...auditKey(owner, createdAt, String(own.id)),
      ...entry,
      ...own,
      ...required(texts[text], "the text of a copy"),
      created_at: createdAt,
    },
    momentMs,
  }));
}

/** Settles notes that the process that made them did not settle. */
export async function writeOldOwed(deps: OwedDeps): Promise<void> {
  const upTo = toTimestamp(deps.clock.nowMs() - auditLimits.settledAfterMs);
  const pieces = new ErrorCollector();
  for await (const item of queryAll(deps.table, { pk: kinds.owed.partition(), upTo })) {
    if (item.settled !== true) await pieces.run(() => writeOwed(deps, [parseOwed(item)]));
  }
  pieces.end();
}
