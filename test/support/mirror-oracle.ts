/** What a walk may return for one thing now. */
export type Possible = {
  /** One of these, as text; undefined: any. */
  readonly states: ReadonlySet<string> | undefined;
  /** It may also return nothing for the thing. */
  readonly mayBeAbsent: boolean;
};

/**
 * missed: the mirror lacks a thing · outdated: it holds another state · stale: it holds a thing that no longer exists.
 */
export type MirrorFault = { readonly kind: "missed" | "outdated" | "stale"; readonly name: string };

/**
 * "Keep a copy in sync" (docs/use/pagination.md), defined only here: a client that applied all pages, and kept the
 * last record of each thing, holds the things that a fresh walk returns, in their last written state.
 *
 * At rest a fresh walk returns one state of each thing: `atRest`. While writers are active, the moment of that walk is
 * unknown, so a thing has several possible states. Without `include_removed` the mirror holds at least these things:
 * removed ones may stay in it.
 */
export function mirrorFaults(
  held: ReadonlyMap<string, string>,
  fresh: ReadonlyMap<string, Possible>,
  { followsRemovals }: { readonly followsRemovals: boolean } = { followsRemovals: true },
): MirrorFault[] {
  const faults: MirrorFault[] = [];
  for (const [name, { states, mayBeAbsent }] of fresh) {
    const state = held.get(name);
    if (state === undefined) {
      if (!mayBeAbsent) faults.push({ kind: "missed", name });
    } else if (states && !states.has(state) && (followsRemovals || !mayBeAbsent))
      faults.push({ kind: "outdated", name });
  }
  if (followsRemovals)
    for (const name of held.keys()) if (!fresh.has(name)) faults.push({ kind: "stale", name });
  return faults;
}

/** The possible states of the current things, by name. */
export const atRest = (things: ReadonlyMap<string, string>): Map<string, Possible> =>
  new Map([...things].map(([name, state]) => [name, { states: new Set([state]), mayBeAbsent: false }]));
