import type { OpenStore } from "../../../lib/store/open.ts";
import type { Api } from "../../support/api.ts";
import type { World } from "../../support/world.ts";
import type { Fault } from "./fault.ts";
import type { Wire } from "./wire.ts";

export type Said = {
  /** What a run that nothing befell says too. */
  readonly text: string;
  /** The caller may forget about it: what it asked for is done. */
  readonly isAcknowledged: boolean;
};

/** Something the service does, that can be done again from the same beginning. */
export type Scenario = {
  /** The table it begins with; scenarios may share one. */
  readonly ground: string;
  /** How long after the ground was built. */
  readonly laterMs?: number;
  /** Just before it, while nothing is struck. */
  prepare?(): Promise<void>;
  act(): Promise<Said>;
  /** It changes nothing, so nothing has to be put back after it. */
  readonly isRead?: boolean;
  /** What it may say when an earlier try had done it. */
  readonly doneBefore?: RegExp;
  /** What happens besides, in every run, so that the scenario comes to what it does then. */
  readonly befalls?: {
    /** `file operation` */
    readonly at: string;
    readonly fault: Fault;
    readonly times: number;
  };
  /** What it says when nothing fails. */
  readonly says: RegExp;
  /** What it may say while something fails for good. */
  readonly maySay: readonly string[];
  /** Left until something else comes by and removes it. */
  readonly mayLeave?: RegExp;
  /** Numbers that every run moves on. */
  readonly uncompared?: RegExp;
  /** It is never done while others are at work, so nobody gets in its way. */
  readonly isAlone?: boolean;
  /** Nobody is kept waiting: it may also give up at the first fault, and be done by its next try. */
  readonly isRepeated?: boolean;
  /** People are whole again only at its end: they move from tenant to tenant, or seats that are free go to others. */
  readonly settlesPeopleLater?: boolean;
  /** It begins with Learnings that an earlier release made wait. */
  readonly pendingMayBeOld?: boolean;
  /** What lies in the dead-letter queue at first. */
  readonly deadLetters?: readonly string[];
  /** Copies of its entry in the log that do not fit into its transaction follow it: a crash in between leaves them to the clock's worker. */
  readonly tellsLater?: boolean;
  /** The operation, worker or internal function of the contract that it plays; the operator's verbs have none. */
  readonly plays?: string;
};
export type Scenarios = Readonly<Record<string, Scenario>>;

/** What scenarios are played with. */
export type Stage = {
  readonly api: Api;
  readonly world: World;
  readonly wire: Wire;
  /** Lets time pass. */
  wait(ms: number): void;
  /** A store behind the wire, for verbs that no function calls. */
  readonly store: () => OpenStore;
};

/** What a table holds at first: what `build` makes of an empty one, or of another ground. */
export type Fixture = { readonly from?: string; build(): Promise<unknown> };
export type Grounds = Readonly<Record<string, Fixture>>;

export type Play = { readonly scenarios: () => Scenarios; readonly grounds: Grounds };
