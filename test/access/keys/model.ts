import { StoreUnavailable } from "../../../lib/store/table.ts";
import type { Answer, Cast, KeyService, Use } from "./histories.ts";
import { inTurn } from "./interleave.ts";

/** Ways to break the rules: each must be caught. */
export const mistakes = [
  "a made key reaches its maker",
  "the bucket is the organization's",
  "an ending does not check what was made meanwhile",
  "making does not check what was made meanwhile",
  "making does not count the keys that live",
  "a rotation does not check the value that it replaces",
  "a repeat derives another value",
  "a rotation gives the old value a new end",
  "a key rotates the keys of its organization",
  "an old value ends other keys",
  "an old value does not end its key",
  "a value without grace ends by the clock",
  "a rotation starts the days of a made key again",
] as const;
export type Mistake = (typeof mistakes)[number];

type Value = string;
type Stored = {
  readonly id: string;
  readonly madeBy?: string;
  readonly hash: Value;
  readonly oldHash?: Value;
  readonly oldUntilMs?: number;
  readonly salt?: number;
  /** When the current value was made. */
  readonly valueAtMs: number;
  readonly revoked?: true;
  /** Only keys that were made expire. */
  readonly expiresMs?: number;
};
type List = { readonly version: number; readonly ids: readonly string[] };
type Refused = { readonly status: number };

const repeatMs = 15 * 60_000;
const madeKeyMs = 90 * 24 * 3_600_000;
const bucketMax = 10;

/**
 * The rules of "Keys, one record" as a small state machine over a store with transactions. It shares no code with the
 * service. A value is `id:secret`; a hash is the value itself.
 */
export class KeyModel implements KeyService {
  readonly #mistake: Mistake | undefined;
  readonly #madeMax: number;
  readonly #keys = new Map<string, Stored>();
  readonly #lists = new Map<string, List>();
  readonly #deletesMs = new Map<string, number[]>();
  #nowMs = 0;
  #salts = 0;

  constructor({
    mistake,
    madeMax = 50,
  }: { readonly mistake?: Mistake | undefined; readonly madeMax?: number | undefined } = {}) {
    this.#mistake = mistake;
    this.#madeMax = madeMax;
  }

  nowMs = (): number => this.#nowMs;
  advance(ms: number): void {
    this.#nowMs += ms;
  }

  cast(): Cast {
    const add = (id: string, madeBy?: string) => {
      const value = `${id}:first`;
      const made = madeBy === undefined ? {} : { madeBy, expiresMs: this.#nowMs + madeKeyMs };
      this.#keys.set(id, { id, hash: value, valueAtMs: this.#nowMs, ...made });
      return { id, value, ...made };
    };
    this.#lists.set("M", { version: 1, ids: ["K"] });
    return { maker: add("M"), made: add("K", "M"), admin: add("A"), madeMax: this.#madeMax };
  }

  async make(by: Value, once: string): Promise<Answer> {
    const caller = await this.#authenticate(by);
    if (isRefused(caller)) return caller;
    if (caller.state !== "current") return { status: 409 };
    if (caller.key.madeBy) return { status: 403 };
    return await this.#decide(async () => {
      const own = await this.#read(caller.key.id);
      if (!this.#isLive(own)) return { status: 401 };
      if (own.hash !== by) return { status: 409 };
      const id = `${own.id}/${once}`;
      const [before, list] = await inTurn(false, async () => [this.#keys.get(id), this.#lists.get(own.id)]);
      if (before) return this.#repeat(before, before.valueAtMs, `${by} ${once}`) ?? { status: 409 };
      const live = (list?.ids ?? []).filter((each) => this.#isLive(this.#keys.get(each)));
      const isFull = live.length >= this.#madeMax;
      if (isFull && this.#mistake !== "making does not count the keys that live") return { status: 409 };
      const salt = ++this.#salts;
      const hash = derived(id, salt, `${by} ${once}`);
      return await this.#transact(
        () =>
          !this.#keys.has(id) &&
          (this.#mistake === "making does not check what was made meanwhile" ||
            this.#lists.get(own.id)?.version === list?.version) &&
          this.#isCurrent(own.id, by),
        () => {
          const expiresMs = this.#nowMs + madeKeyMs;
          this.#keys.set(id, { id, madeBy: own.id, hash, salt, valueAtMs: this.#nowMs, expiresMs });
          this.#lists.set(own.id, { version: (list?.version ?? 0) + 1, ids: [...live, id] });
          return { status: 201, id, value: hash, expiresMs };
        },
      );
    });
  }

  async rotate(by: Value, id: string, once: string, graceSeconds: number): Promise<Answer> {
    const caller = await this.#authenticate(by, true);
    if (isRefused(caller)) return caller;
    const isForeign =
      this.#mistake === "a key rotates the keys of its organization" && caller.state === "current";
    if (id !== caller.key.id && !isForeign) return { status: caller.state === "ended" ? 401 : 404 };
    const request = `${by} ${once}`;
    return await this.#decide(async () => {
      const key = await this.#read(id);
      if (!this.#isLive(key)) return { status: 401 };
      if (key.hash !== by && !isForeign) {
        const { state } = caller;
        return this.#repeat(key, key.valueAtMs, request) ?? { status: state === "ended" ? 401 : 409 };
      }
      const salt = ++this.#salts;
      const hash = derived(id, salt, request);
      const { oldUntilMs: _, ...kept } = key;
      const endMs = Math.min(this.#nowMs + graceSeconds * 1000, key.expiresMs ?? Number.POSITIVE_INFINITY);
      const endsByClock = graceSeconds > 0 || this.#mistake === "a value without grace ends by the clock";
      const isFresh = this.#mistake === "a rotation starts the days of a made key again";
      const expiresMs = key.expiresMs && isFresh ? this.#nowMs + madeKeyMs : key.expiresMs;
      return await this.#transact(
        () =>
          this.#mistake === "a rotation does not check the value that it replaces" ||
          isForeign ||
          this.#isCurrent(id, by),
        () => {
          const isLater =
            this.#mistake === "a rotation gives the old value a new end" && key.oldHash !== undefined;
          const oldHash = isLater ? key.oldHash : key.hash;
          const old = { oldHash, ...(endsByClock && { oldUntilMs: endMs }) };
          const expiry = expiresMs === undefined ? {} : { expiresMs };
          this.#keys.set(id, { ...kept, ...old, ...expiry, hash, salt, valueAtMs: this.#nowMs });
          return { status: 201, id, value: hash, ...expiry };
        },
      );
    });
  }

  async end(by: Value, id: string): Promise<Answer> {
    const caller = await this.#authenticate(by);
    if (isRefused(caller)) return caller;
    const own = caller.key;
    const isCurrent = caller.state === "current";
    if (id === own.id && !isCurrent && this.#mistake === "an old value does not end its key")
      return { status: 409 };
    if (id !== own.id) {
      if (!isCurrent && this.#mistake !== "an old value ends other keys") return { status: 409 };
      if (!this.#admit(own.id)) return { status: 429 };
    }
    return await this.#decide(async () => {
      const [key, list] = await inTurn(false, async () => [this.#keys.get(id), this.#lists.get(id)]);
      if (!key || !this.#reaches(own, key)) return { status: 404 };
      const made = list?.ids ?? [];
      return await this.#transact(
        () =>
          this.#mistake === "an ending does not check what was made meanwhile" ||
          this.#lists.get(id)?.version === list?.version,
        () => {
          for (const each of [id, ...made]) {
            const stored = this.#keys.get(each);
            if (stored) this.#keys.set(each, { ...stored, revoked: true });
          }
          return { status: 204 };
        },
      );
    });
  }

  async use(by: Value): Promise<Use | undefined> {
    const caller = await this.#authenticate(by);
    if (isRefused(caller)) return undefined;
    const { key, state } = caller;
    return { id: key.id, untilMs: state === "current" ? null : (key.oldUntilMs ?? null) };
  }

  #reaches(own: Stored, key: Stored): boolean {
    if (own.id === key.id || key.madeBy === own.id) return true;
    if (this.#mistake === "a made key reaches its maker" && own.madeBy === key.id) return true;
    return own.madeBy === undefined;
  }

  #admit(id: string): boolean {
    const bucket = this.#mistake === "the bucket is the organization's" ? "all" : id;
    const recent = (this.#deletesMs.get(bucket) ?? []).filter((ms) => ms > this.#nowMs - 60_000);
    if (recent.length >= bucketMax) return false;
    this.#deletesMs.set(bucket, [...recent, this.#nowMs]);
    return true;
  }

  async #authenticate(value: Value, mayRepeat = false): Promise<Caller | Refused> {
    const key = await inTurn(false, async () => this.#keys.get(value.slice(0, value.indexOf(":"))));
    if (!key || !this.#isLive(key)) return { status: 401 };
    if (key.hash === value) return { key, state: "current" };
    if (key.oldHash !== value) return { status: 401 };
    if (key.oldUntilMs !== undefined && key.oldUntilMs > this.#nowMs) return { key, state: "old" };
    return mayRepeat && this.#nowMs < key.valueAtMs + repeatMs ? { key, state: "ended" } : { status: 401 };
  }

  #repeat(key: Stored, madeAtMs: number, request: string): Answer | undefined {
    const { id, hash, salt, expiresMs } = key;
    if (salt === undefined || !this.#isLive(key)) return undefined;
    if (this.#mistake === "a repeat derives another value")
      return { status: 201, id, value: derived(id, ++this.#salts, request), expiresMs };
    const isSame = derived(id, salt, request) === hash;
    return isSame && this.#nowMs < madeAtMs + repeatMs
      ? { status: 201, id, value: hash, expiresMs }
      : undefined;
  }

  #isLive = (key: Stored | undefined): boolean =>
    key !== undefined && !key.revoked && (key.expiresMs ?? Number.POSITIVE_INFINITY) > this.#nowMs;

  #isCurrent = (id: string, value: Value): boolean => {
    const key = this.#keys.get(id);
    return key?.hash === value && !key.revoked;
  };

  async #read(id: string): Promise<Stored> {
    const key = await inTurn(false, async () => this.#keys.get(id));
    if (!key) throw new Error(`There is no key ${id}.`);
    return key;
  }

  #transact = (holds: () => boolean, write: () => Answer): Promise<Answer | undefined> =>
    inTurn(true, async () => (holds() ? write() : undefined));

  /** Decides again after a failed condition. A store that does not answer: the caller repeats the request. */
  async #decide(attempt: () => Promise<Answer | undefined>): Promise<Answer> {
    for (let attempts = 0; attempts < 12; attempts++) {
      try {
        const answer = await attempt();
        if (answer) return answer;
      } catch (error) {
        if (error instanceof StoreUnavailable) return { status: 503 };
        throw error;
      }
    }
    return { status: 503 };
  }
}

type Caller = { readonly key: Stored; readonly state: "current" | "old" | "ended" };
const isRefused = (caller: Caller | Refused): caller is Refused => "status" in caller;
const derived = (id: string, salt: number, request: string): Value => `${id}:${salt} for ${request}`;
