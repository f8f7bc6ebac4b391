import type { Weakness } from "../world.ts";
import * as reads from "./reads.ts";
import * as removals from "./removals.ts";
import * as scope from "./scope.ts";
import * as upkeep from "./upkeep.ts";
import * as writes from "./writes.ts";

/**
 * The known ways to break the stream, each of which the simulation must catch. `breaks` and `seedsMax` say how:
 * seeds are counted from 1, and at the measured rates one in 20,000 such searches would come back empty.
 */
export const weaknesses: readonly Weakness[] = [
  writes.numberOutside,
  reads.noPublish,
  writes.unconditionalPublish,
  writes.retireFirst,
  writes.pendingOverwritten,
  writes.pendingEmptiedByZombie,
  writes.unconditionalPointer,
  writes.olderHeadRead,
  writes.removalWithoutNumber,
  writes.partsByNumber,
  reads.highestLookedAt,
  reads.noSecondLook,
  reads.weeksBeside,
  reads.eventuallyConsistent,
  reads.oneAfterAnother,
  writes.noTenantCheck,
  writes.recoverApart,
  // What tenant changes, large entries and the sweep rest on.
  upkeep.moveReadsApart,
  upkeep.moveLeavesUnpublished,
  reads.partsAfterSecondLook,
  upkeep.sweepUncondemned,
  // What a scope that changes rests on.
  scope.unmarkedCursor,
  scope.freshEpochTrusted,
  scope.epochPublishedInside,
  scope.rowsNotReadAgain,
  scope.caughtUpAfterwards,
  scope.widenedKey,
  // What a mirror rests on.
  removals.noRemovals,
  removals.supersededShown,
  removals.leavingUntold,
];
