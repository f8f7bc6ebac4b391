import { hash } from "node:crypto";
import { v5 } from "uuid";
import * as z from "zod";
import { identityNamespace } from "../contract/identity.ts";
import * as kinds from "../contract/items.ts";
import { streamLimits } from "../contract/limits.ts";
import { required } from "../runtime/required.ts";
import { itemSchema, parseItem } from "../store/items/parse.ts";
import {
  type ConditionCheck,
  type Item,
  type Key,
  type Table,
  type Update,
  writeIf,
} from "../store/table.ts";
import type { DroppedSpill } from "./pending.ts";
import type { SpillRef } from "./pointer.ts";
import type { StreamDeps } from "./stream.ts";

/**
 * A large entry's bytes, in parts under an id of their own (not under the number: a writer that loses a race would
 * overwrite them). Each spill has its own small item, written first, that names its owner. The item is marked as dropped before
 * the parts are deleted, so that no append can refer to the spill any more. The mark stays until no delayed request can
 * write parts of the spill; then a sweep deletes parts that arrived late, and the mark.
 */
const secondsPerHour = 3_600;

export type Spill = {
  readonly id: string;
  readonly organization: string;
  readonly parts: number;
  /** Undefined once the spill is finally dropped. */
  readonly pointerId: string | undefined;
  /** A sweep is deciding about the spill, or stopped before it decided. */
  readonly isMarkedForRemoval: boolean;
  /** When a dropped spill expires, in seconds. */
  readonly ttl?: number;
};

const spillItem = itemSchema({
  i: z.string().optional(),
  c: z.int(),
  x: z.literal(1).optional(),
  ttl: z.int().optional(),
});
const parseStored = parseItem("spill", spillItem);

export function parseSpill(item: Item, organization: string): Spill {
  const { sk, i, c, x, ttl } = parseStored(item);
  return {
    id: sk,
    organization,
    pointerId: i,
    parts: c,
    isMarkedForRemoval: x === 1,
    ...(ttl !== undefined && { ttl }),
  };
}

export const newSpillItem = (organization: string, pointerId: string, { id, parts }: SpillRef): Item => ({
  ...kinds.spill.key({ organization, spillId: id }),
  i: pointerId,
  c: parts,
});

/** `cause` names what is written, such as an event: if it is written again, it finds its own spill. */
export async function writeSpill(
  deps: StreamDeps,
  organization: string,
  pointerId: string,
  bytes: Uint8Array,
  cause?: string,
): Promise<SpillRef> {
  const { table, random, limits = streamLimits } = deps;
  const count = Math.ceil(bytes.length / limits.partBytesMax);
  const claim = async (id: string): Promise<boolean> => {
    const put = newSpillItem(organization, pointerId, { id, parts: count });
    return await writeIf(table, { put, when: { absent: "pk" } }, { idempotent: true });
  };
  const named = cause === undefined ? undefined : spillIdOf(deps, [organization, pointerId, cause], bytes);
  let id = named ?? random.uuid();
  // When a random id is sent again after a time-out, it may find its own first write.
  if (
    !(await claim(id)) &&
    named &&
    !(await isUsable(table, kinds.spill.key({ organization, spillId: named })))
  ) {
    id = random.uuid();
    await claim(id);
  }
  await table.writeMany(
    Array.from({ length: count }, (_, index) => ({
      put: {
        ...kinds.spillPart.key({ spillId: id, index }),
        d: bytes.subarray(index * limits.partBytesMax, (index + 1) * limits.partBytesMax),
      },
    })),
  );
  return { id, parts: count };
}

/**
 * The same bytes of the same cause have the same id, so a repeated write leaves nothing behind and a late one changes
 * nothing. The id changes with the time after which a dropped spill is forgotten: a forgotten id is never used again,
 * and a late delete affects only dead items.
 */
function spillIdOf(
  { clock, limits = streamLimits }: StreamDeps,
  names: readonly string[],
  bytes: Uint8Array,
): string {
  const period = Math.floor(clock.nowMs() / (limits.lateRequestHours * secondsPerHour * 1000));
  const content = hash("sha256", bytes, "base64url");
  return v5(JSON.stringify([...names, content, limits.partBytesMax, period]), identityNamespace);
}

/** Not marked for removal, and not dropped. */
async function isUsable(table: Table, key: Key): Promise<boolean> {
  const item = await table.get(key);
  return item?.i !== undefined && item.x === undefined;
}

export const partKeys = ({ id, parts }: SpillRef): Key[] =>
  Array.from({ length: parts }, (_, index) => kinds.spillPart.key({ spillId: id, index }));

/** None if a part is missing: that entry was superseded and appears again at its new place. */
export async function readSpills(
  table: Table,
  spills: readonly SpillRef[],
): Promise<Map<SpillRef, Uint8Array>> {
  const found = await table.getMany(spills.flatMap(partKeys));
  const whole = new Map<SpillRef, Uint8Array>();
  let first = 0;
  for (const spill of spills) {
    const bytes = found.slice(first, first + spill.parts).map((item) => item?.d);
    first += spill.parts;
    if (bytes.every((each) => each instanceof Uint8Array)) whole.set(spill, Buffer.concat(bytes));
  }
  return whole;
}

/** Returns the first part of the bytes; undefined if they were deleted. */
export async function readFirstPart(table: Table, { id }: SpillRef): Promise<Uint8Array | undefined> {
  const bytes = (await table.get(kinds.spillPart.key({ spillId: id, index: 0 })))?.d;
  return bytes instanceof Uint8Array ? bytes : undefined;
}

/** A condition of an append that refers to the spill: if a sweep marked the spill for removal, the append must fail. */
export const spillIsUsable = (organization: string, { id }: SpillRef): ConditionCheck => ({
  check: kinds.spill.key({ organization, spillId: id }),
  when: { all: [{ present: "i" }, { absent: "x" }] },
});

export const markSpillForRemoval = ({ organization, id }: Spill): Update => ({
  update: kinds.spill.key({ organization, spillId: id }),
  change: { set: [["x", 1]] },
  when: { all: [{ present: "i" }, { absent: "x" }] },
});

export const unmarkSpill = ({ organization, id }: Spill): Update => ({
  update: kinds.spill.key({ organization, spillId: id }),
  change: { remove: ["x"] },
  when: { present: "i" },
});

const keptSeconds = ({ limits = streamLimits }: StreamDeps): number =>
  limits.droppedSpillDays * 24 * secondsPerHour;
const nowSeconds = ({ clock }: StreamDeps): number => Math.floor(clock.nowMs() / 1000);

/** Unconditional and repeatable: a spill id is used once, so a late drop affects only dead items. */
export async function dropSpills(deps: StreamDeps, spills: readonly DroppedSpill[]): Promise<void> {
  const ttl = nowSeconds(deps) + keptSeconds(deps);
  await deps.table.writeMany(
    spills.flatMap((spill) => [
      {
        put: {
          ...kinds.spill.key({ organization: spill.organization, spillId: spill.id }),
          c: spill.parts,
          x: 1,
          ttl,
        },
      },
      ...partKeys(spill).map((key) => ({ delete: key })),
    ]),
  );
}

/** Deletes a spill that was dropped long enough ago; before that there is nothing to do. */
export async function forgetSpill(deps: StreamDeps, spill: Spill): Promise<void> {
  const { limits = streamLimits } = deps;
  const droppedAt = required(spill.ttl, "expiry of a dropped spill") - keptSeconds(deps);
  if (nowSeconds(deps) < droppedAt + limits.lateRequestHours * secondsPerHour) return;
  await deps.table.writeMany(partKeys(spill).map((key) => ({ delete: key })));
  // This delete comes last: if the process stops before it, the mark stays and the next sweep repeats the work.
  await deps.table.writeMany([
    { delete: kinds.spill.key({ organization: spill.organization, spillId: spill.id }) },
  ]);
}
