import { betweenTurns, type Fault, interleave, plantFault } from "./interleave.ts";

export type Answer = {
  readonly status: number;
  readonly id?: string | undefined;
  readonly value?: string | undefined;
  /** When the key expires; undefined: never. */
  readonly expiresMs?: number | undefined;
};
/** `untilMs`: null for a value without an end. */
export type Use = { readonly id: string; readonly untilMs: number | null };

/** What histories act on: the model of the rules, or the service. A value is the text of a key. */
export type KeyService = {
  make(by: string, once: string): Promise<Answer>;
  rotate(by: string, id: string, once: string, graceSeconds: number): Promise<Answer>;
  end(by: string, id: string): Promise<Answer>;
  /** Undefined: the service refuses the value. */
  use(by: string): Promise<Use | undefined>;
  nowMs(): number;
  advance(ms: number): void;
};

type Name = "maker" | "made" | "admin";
type Actor = { readonly id: string; readonly value: string; readonly expiresMs?: number | undefined };
/** Two Admin keys, one of which made the third. */
export type Cast = Readonly<Record<Name, Actor>> & {
  /** How many of the keys that the maker made in a history may live. */
  readonly madeMax: number;
};

const bucketMax = 10;
const minuteMs = 60_000;

/** Acts, remembers every answer, and says which of them break a rule of section "Keys, one record". */
export class History {
  readonly problems: string[] = [];
  readonly #service: KeyService;
  readonly #cast: Cast;
  readonly #ids: Readonly<Record<Name, string>>;
  /** The newest value that the owner of a key received. */
  readonly #current = new Map<string, string>();
  /** Every value that anybody received, with its key and the end that was last seen. */
  readonly #values = new Map<string, { readonly id: string; endMs: number }>();
  readonly #makerOf = new Map<string, string>();
  readonly #ended = new Set<string>();
  readonly #expiryMs = new Map<string, number>();
  /** What a request made: the same request never makes something else. */
  readonly #made = new Map<string, string>();
  /** The time of the answer; unknown while there is none. */
  readonly #deletes = new Map<string, Array<{ ms: number }>>();

  constructor(service: KeyService, cast: Cast) {
    this.#service = service;
    this.#cast = cast;
    this.#ids = { maker: cast.maker.id, made: cast.made.id, admin: cast.admin.id };
    for (const { id, ...key } of [cast.maker, cast.made, cast.admin]) this.#learn(id, key);
    this.#makerOf.set(cast.made.id, cast.maker.id);
  }

  #learn(id: string, { value, expiresMs = Number.POSITIVE_INFINITY }: Omit<Actor, "id">): void {
    if (expiresMs > (this.#expiryMs.get(id) ?? Number.POSITIVE_INFINITY))
      this.problems.push("an expiry moved later");
    this.#expiryMs.set(id, expiresMs);
    if (!this.#values.has(value)) this.#values.set(value, { id, endMs: Number.POSITIVE_INFINITY });
    this.#current.set(id, value);
  }

  #valueOf(name: Name): string {
    return this.#current.get(this.#ids[name]) ?? "";
  }

  async make(name: Name, once: string, trouble?: Trouble): Promise<void> {
    const by = this.#valueOf(name);
    const owner = this.#ids[name];
    await this.#repeated(trouble, `make ${by} ${once}`, async () => {
      const answer = await this.#service.make(by, once);
      const { status, id, value, expiresMs } = answer;
      if (status !== 201 || !id || !value) return answer;
      if (this.#makerOf.has(owner)) this.problems.push("a made key made a key");
      if (this.#makerOf.get(id) !== undefined && this.#makerOf.get(id) !== owner)
        this.problems.push("a key got the value of another maker's key");
      if (Object.values(this.#ids).includes(id))
        this.problems.push("making gave the value of a key that was there");
      this.#makerOf.set(id, owner);
      this.#learn(id, { value, expiresMs });
      return answer;
    });
  }

  async rotate(name: Name, graceSeconds: number, trouble?: Trouble, of: Name = name): Promise<void> {
    const by = this.#valueOf(name);
    await this.rotateWith(by, of, graceSeconds, trouble);
  }

  /** With the value that the key had at first. */
  rotateAtFirst = (name: Name, graceSeconds: number) =>
    this.rotateWith(this.#cast[name].value, name, graceSeconds);

  async rotateWith(by: string, of: Name, graceSeconds: number, trouble?: Trouble): Promise<void> {
    const once = `rotate ${graceSeconds}`;
    await this.#repeated(trouble, `rotate ${by} ${once}`, async () => {
      const answer = await this.#service.rotate(by, this.#ids[of], once, graceSeconds);
      const { status, id, value, expiresMs } = answer;
      if (status !== 201 || !id || !value) return answer;
      const replaced = this.#values.get(by);
      if (id !== replaced?.id) this.problems.push("a key got another key's value");
      // No clock decides the end of a value without grace.
      if (replaced && graceSeconds === 0) replaced.endMs = Number.NEGATIVE_INFINITY;
      this.#learn(id, { value, expiresMs });
      return answer;
    });
  }

  async end(name: Name, of: Name, trouble?: Trouble): Promise<void> {
    await this.endWith(this.#valueOf(name), name, of, trouble);
  }

  /** With the value that the key had at first. */
  endAtFirst = (name: Name, of: Name) => this.endWith(this.#cast[name].value, name, of);

  async endWith(by: string, name: Name, of: Name, trouble?: Trouble): Promise<void> {
    const [own, id] = [this.#ids[name], this.#ids[of]];
    const isAdmin = !this.#makerOf.has(own);
    const mayEnd = own === id || this.#makerOf.get(id) === own || isAdmin;
    const isRefused = async () => (own === id ? !(await this.#isUsable(by)) : !(await this.#isCurrent(by)));
    const wasRefused = await isRefused();
    const answer = await this.#repeated(trouble, undefined, async () => {
      const { status } = await this.#counted(own === id ? undefined : own, () => this.#service.end(by, id));
      const isFree = own === id || !this.#isOverfull(own);
      if (status === 204) this.#ended.add(id);
      if (status === 204 && !mayEnd) this.problems.push("a key ended a key out of its reach");
      if (status === 204 && own !== id && wasRefused)
        this.problems.push("a value that is not current ended another key");
      const mustEnd = mayEnd && isFree && !wasRefused && !(await isRefused());
      if (mustEnd && ![204, 503].includes(status)) this.problems.push(`an end was blocked: ${status}`);
      return { status };
    });
    if (answer.status === 503 && trouble === "fails before") this.problems.push("an end never succeeded");
  }

  #isUsable = async (value: string): Promise<boolean> =>
    (await betweenTurns(() => this.#service.use(value))) !== undefined;

  #isCurrent = async (value: string): Promise<boolean> =>
    (await betweenTurns(() => this.#service.use(value)))?.untilMs === null;

  #isOverfull = (id: string): boolean =>
    (this.#deletes.get(id) ?? []).filter(({ ms }) => ms > this.#service.nowMs() - minuteMs).length >
    bucketMax;

  async #counted(id: string | undefined, send: () => Promise<Answer>): Promise<Answer> {
    const sent = { ms: Number.POSITIVE_INFINITY };
    if (id !== undefined) this.#deletes.set(id, [...(this.#deletes.get(id) ?? []), sent]);
    const answer = await send();
    sent.ms = this.#service.nowMs();
    return answer;
  }

  /** As many deletions of keys that do not exist as its limit admits. */
  async flood(name: Name): Promise<void> {
    const by = this.#valueOf(name);
    for (let count = 0; count < bucketMax; count++) {
      const { status } = await this.#counted(this.#ids[name], () =>
        betweenTurns(() => this.#service.end(by, "kaaaaaaaaaaaaaaaa")),
      );
      if (status === 204) this.problems.push("an unknown key was ended");
    }
  }

  async use(name: Name): Promise<void> {
    await this.#look(this.#cast[name].value);
    await this.#look(this.#valueOf(name));
  }

  async wait(ms: number): Promise<void> {
    this.#service.advance(ms);
  }

  /** Sends a request; with trouble once more, as a caller does that got no answer. */
  async #repeated(
    trouble: Trouble | undefined,
    request: string | undefined,
    send: () => Promise<Answer>,
  ): Promise<Answer> {
    plantFault(trouble === undefined || trouble === "answer lost" ? undefined : faults[trouble]);
    const first = await send();
    const answers = trouble === undefined ? [first] : [first, await send()];
    plantFault(undefined);
    for (const { value } of answers) {
      if (request === undefined || value === undefined) continue;
      const before = this.#made.get(request);
      if (before !== undefined && before !== value)
        this.problems.push(`a repeat made a second value: ${request}`);
      this.#made.set(request, value);
    }
    return answers.at(-1) ?? first;
  }

  async #look(value: string): Promise<boolean> {
    const known = this.#values.get(value);
    if (!known) return false;
    const { endMs } = known;
    const use = await this.#service.use(value);
    const seenMs = use ? (use.untilMs ?? Number.POSITIVE_INFINITY) : this.#endOfRefused(known);
    if (use && use.id !== known.id) this.problems.push("a value changed its key");
    if (seenMs > endMs) this.problems.push("an end moved later");
    known.endMs = Math.min(known.endMs, seenMs);
    return use !== undefined;
  }

  /** A value whose end has passed works again while the clock is behind; one that ended otherwise never does. */
  #endOfRefused({ id, endMs }: { readonly id: string; readonly endMs: number }): number {
    const nowMs = this.#service.nowMs();
    const hasPassed = Math.min(endMs, this.#expiryMs.get(id) ?? endMs) <= nowMs;
    return hasPassed || endMs === Number.POSITIVE_INFINITY
      ? Math.min(endMs, nowMs)
      : Number.NEGATIVE_INFINITY;
  }

  #isExpired = (id: string): boolean =>
    (this.#expiryMs.get(id) ?? Number.POSITIVE_INFINITY) <= this.#service.nowMs();

  /** Looks at every value that anybody knows, when nothing runs. */
  async check(): Promise<readonly string[]> {
    const working = new Map<string, number>();
    for (const [value, { id }] of this.#values)
      if (await this.#look(value)) working.set(id, (working.get(id) ?? 0) + 1);
    const made = [...working.keys()].filter((id) => this.#makerOf.get(id) === this.#ids.maker);
    if (made.length > this.#cast.madeMax) this.problems.push("a maker has too many live keys");
    for (const [id, count] of working) {
      if (count > 2) this.problems.push("more than two values work");
      if (this.#ended.has(id)) this.problems.push("an ended key works");
      if (this.#isExpired(id)) this.problems.push("an expired key works");
      if (this.#ended.has(this.#makerOf.get(id) ?? "")) this.problems.push("a key works whose maker ended");
    }
    for (const id of new Set([...this.#values.values()].map((each) => each.id))) {
      const isEnded = this.#ended.has(id) || this.#ended.has(this.#makerOf.get(id) ?? "");
      if (!isEnded && !this.#isExpired(id) && !working.has(id))
        this.problems.push("the owner of a live key has no value that works");
    }
    return this.problems;
  }
}

/** The caller gets no answer and sends the same request again. */
export type Trouble = "answer lost" | "fails before" | "fails after";
const faults: Readonly<Record<Exclude<Trouble, "answer lost">, Fault>> = {
  "fails before": "before",
  "fails after": "after",
};

export type Deed = (history: History) => Promise<void>;
const hourMs = 3_600_000;

export const deeds: Readonly<Record<string, Deed>> = {
  "the maker makes a key": (history) => history.make("maker", "a"),
  "the maker makes another key": (history) => history.make("maker", "b"),
  "the maker makes a key, the answer lost": (history) => history.make("maker", "a", "answer lost"),
  "the maker makes a key, the store fails": (history) => history.make("maker", "a", "fails before"),
  "the maker makes a key, the store's answer lost": (history) => history.make("maker", "a", "fails after"),
  "the maker rotates": (history) => history.rotate("maker", 3_600),
  "the maker rotates without grace": (history) => history.rotate("maker", 0),
  "the maker's first value rotates": (history) => history.rotateAtFirst("maker", 3_600),
  "the maker's first value rotates without grace": (history) => history.rotateAtFirst("maker", 0),
  "the maker rotates, the answer lost": (history) => history.rotate("maker", 3_600, "answer lost"),
  "the maker rotates without grace, the answer lost": (history) => history.rotate("maker", 0, "answer lost"),
  "the maker rotates, the store fails": (history) => history.rotate("maker", 0, "fails before"),
  "the maker rotates, the store's answer lost": (history) => history.rotate("maker", 0, "fails after"),
  "the made key makes a key": (history) => history.make("made", "c"),
  "the made key rotates": (history) => history.rotate("made", 3_600),
  "the made key rotates its maker": (history) => history.rotate("made", 0, undefined, "maker"),
  "the Admin rotates the maker": (history) => history.rotate("admin", 0, undefined, "maker"),
  "the made key ends itself": (history) => history.end("made", "made"),
  "the made key ends its maker": (history) => history.end("made", "maker"),
  "the maker ends the made key": (history) => history.end("maker", "made"),
  "the maker ends itself": (history) => history.end("maker", "maker"),
  "the maker's first value ends the maker": (history) => history.endAtFirst("maker", "maker"),
  "the maker's first value ends the made key": (history) => history.endAtFirst("maker", "made"),
  "the Admin ends the maker": (history) => history.end("admin", "maker"),
  "the Admin ends the maker, the store fails": (history) => history.end("admin", "maker", "fails before"),
  "the Admin ends the maker, the store's answer lost": (history) =>
    history.end("admin", "maker", "fails after"),
  "the maker floods": (history) => history.flood("maker"),
  "the values of the maker are used": (history) => history.use("maker"),
  "ten minutes pass": (history) => history.wait(hourMs / 6),
  "two hours pass": (history) => history.wait(2 * hourMs),
  "the made keys expire": (history) => history.wait(100 * 24 * hourMs),
  "the clock goes back ten minutes": (history) => history.wait(-hourMs / 6),
};

/** Some deeds at the same time, after others; then a thief's late visit and a look at everything. */
export async function play(
  service: KeyService,
  cast: Cast,
  { before = [], together }: { readonly before?: readonly Deed[]; readonly together: readonly Deed[] },
  choose: (count: number) => number,
): Promise<readonly string[]> {
  const history = new History(service, cast);
  for (const deed of before) await interleave([() => deed(history)], () => 0);
  await history.check();
  await interleave(
    together.map((deed) => () => deed(history)),
    choose,
  );
  await history.check();
  await history.end("admin", "maker");
  return await history.check();
}
