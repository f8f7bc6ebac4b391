import type { Weakness } from "../world.ts";
import * as reads from "./reads.ts";
import * as removals from "./removals.ts";
import * as scope from "./scope.ts";
import * as upkeep from "./upkeep.ts";
import * as writes from "./writes.ts";

/**
 * The known ways to break the stream; the simulation must catch each of them. `breaks` and `seedsMax` say how: seeds
 * are counted from 1. Most are caught ten times within `seedsMax`, those of a tenant change once or twice: a change of
 * the stream's code that moves `caughtAt` may need a longer search for them.
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
  reads.highestLookedAt,
  reads.noSecondLook,
  reads.weeksBeside,
  reads.eventuallyConsistent,
  reads.oneAfterAnother,
  writes.noTenantCheck,
  writes.recoverApart,
  // Rules that tenant changes, large entries and the sweep depend on.
  upkeep.moveReadsApart,
  upkeep.moveLeavesUnpublished,
  upkeep.positionOfAnotherMove,
  reads.partsAfterSecondLook,
  upkeep.sweepWithoutMark,
  // Rules that a changing scope depends on.
  scope.unmarkedCursor,
  scope.freshEpochTrusted,
  scope.epochPublishedInside,
  scope.rowsNotReadAgain,
  scope.caughtUpAfterwards,
  scope.widenedKey,
  // Rules that a mirror depends on.
  removals.noRemovals,
  removals.supersededShown,
  removals.leavingUnreported,
];
