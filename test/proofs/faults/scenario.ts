import type { OpenStore } from "../../../lib/store/open.ts";
import type { Api } from "../../support/api.ts";
import type { World } from "../../support/world.ts";
import type { Fault } from "./fault.ts";
import type { Wire } from "./wire.ts";

export type CallResult = {
  /** Equals the text of a run without a fault. */
  readonly text: string;
  /** The caller need not repeat the request: the work is done. */
  readonly isAcknowledged: boolean;
};

/** Work of the service that can be repeated from the same initial state. */
export type Scenario = {
  /** The table's initial contents; scenarios may share them. */
  readonly fixture: string;
  /** Time since the fixture was built. */
  readonly laterMs?: number;
  /** Runs just before the scenario, without faults. */
  prepare?(): Promise<void>;
  act(): Promise<CallResult>;
  /** It changes nothing, so nothing has to be restored after it. */
  readonly isRead?: boolean;
  /** What it may answer if an earlier try succeeded. */
  readonly doneBefore?: RegExp;
  /** A further fault in every run, which leads the scenario to the code under test. */
  readonly extraFault?: {
    /** `file operation` */
    readonly at: string;
    readonly fault: Fault;
    readonly times: number;
  };
  /** The answer when nothing fails. */
  readonly says: RegExp;
  /** Allowed answers while something keeps failing. */
  readonly maySay: readonly string[];
  /** Items that stay until something else removes them. */
  readonly mayLeave?: RegExp;
  /** Audit entries about what failed, in addition to those of a run without a fault. */
  readonly mayRecord?: RegExp;
  /** Numbers that every run increases. */
  readonly uncompared?: RegExp;
  /** It never runs beside other work, so nothing interferes with it. */
  readonly isAlone?: boolean;
  /** Its own parts run side by side: which calls it makes depends on who is first. Faults strike elsewhere if they can. */
  readonly isRacing?: boolean;
  /** Nobody waits for it: it may give up at the first fault, and its next try does the work. */
  readonly isRepeated?: boolean;
  /** People are consistent again only at its end: they move between tenants, or free seats go to others. */
  readonly settlesPeopleLater?: boolean;
  /** The initial contents of the dead-letter queue. */
  readonly deadLetters?: readonly string[];
  /**
   * Copies of its audit entry that do not fit into its transaction follow later: after a crash in between, a scheduled
   * worker writes them.
   */
  readonly recordsLater?: boolean;
  /** The operation, worker or internal function of the contract that it runs; the operator's commands have none. */
  readonly covers?: string;
};
export type Scenarios = Readonly<Record<string, Scenario>>;

/** What scenarios run with. */
export type FaultEnvironment = {
  readonly api: Api;
  readonly world: World;
  readonly wire: Wire;
  /** Advances the clock. */
  wait(ms: number): void;
  /** A store behind the wire, for commands that no function calls. */
  readonly store: () => OpenStore;
};

/** A table's initial contents: what `build` makes of an empty table, or of another fixture. */
export type Fixture = { readonly from?: string; build(): Promise<unknown> };
export type Fixtures = Readonly<Record<string, Fixture>>;

export type ScenarioSet = { readonly scenarios: () => Scenarios; readonly fixtures: Fixtures };
