import type { Client } from "../../lib/client/client.ts";
import { msPerDay } from "../../lib/contract/days.ts";
import { webhookLimits } from "../../lib/contract/limits.ts";
import { systemClock, toTimestamp } from "../../lib/runtime/clock.ts";
import { UsageError } from "../../lib/runtime/operator-error.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { secretText, signRing } from "../../lib/webhooks/sign.ts";
import type { Command, CommandInput } from "../command.ts";
import { checkedUrl } from "../connection/named-target.ts";
import { canPass, describeApiError } from "../describe-api-error.ts";
import { sentence } from "../sentence.ts";
import type { Terminal } from "../terminal.ts";
import { orgOption, orgQuery, overHttp } from "./call.ts";

/** Five seconds stay below the limits of the operations, also beside an export. */
const everySeconds = { min: 5, default: 15, max: 3_600 };
/** A pull request of yesterday may still arrive today; older ones are of interest only with --since. */
const daysBack = 1;
const daysAhead = 365;
/** Resumed walks repeat the Learnings and audit entries of the last two minutes: these are not new. */
const recentMax = 1_000;

type Position = { readonly cursor?: string; readonly org_id?: string };
/** The same in every walk: a cursor belongs to its filters. */
type Window = { readonly start_date: string; readonly end_date: string };
type Walk = ReturnType<(typeof walks)[Listened]>;

/** The types that ring for new records, and the walk that finds these. */
const walks = {
  "metrics.review_comments": (client: Client, window: Window, position: Position) =>
    client.pages("listReviewCommentMetrics", { query: { ...window, include_removed: "true", ...position } }),
  "metrics.reviews": (client: Client, window: Window, position: Position) =>
    client.pages("listReviewMetrics", {
      query: { ...window, status: "all", include_removed: "true", ...position },
    }),
  "metrics.mcp": (client: Client, window: Window, position: Position) =>
    client.pages("listMcpMetrics", { query: { ...window, include_removed: "true", ...position } }),
  learnings: (client: Client, _: Window, position: Position) =>
    client.pages("listLearnings", { query: { include_removed: "true", ...position } }),
  audit_logs: (client: Client, { start_date }: Window, position: Position) =>
    client.pages("listAuditLogs", { query: { order: "asc", date_from: start_date, ...position } }),
} as const;
type Listened = keyof typeof walks;
const isListened = (text: string): text is Listened => Object.hasOwn(walks, text);
const listened = Object.keys(walks).filter(isListened);

const listen: Command = overHttp({
  name: "",
  summary: "Deliver to a program on this machine when there is new data; no public address is needed",
  note:
    "It delivers each type once when it starts, then everything from now on. It resumes cursors and signs like the " +
    "service, with the secret that it prints first. Ctrl-C stops it.",
  options: {
    forward: { value: "URL", help: "where the program listens", required: true },
    types: { value: "A,B", help: `default: ${listened.join(",")}` },
    secret: { value: "SECRET", help: "the secret that signs, whsec_… (default: a new one)" },
    since: {
      value: "DAY",
      help: "also watch pull requests merged, and audit entries made, from this day on (default: yesterday)",
    },
    every: { value: "SECONDS", help: `how often to look (default ${everySeconds.default})` },
    ...orgOption,
  },
  examples: [
    "listen --forward http://localhost:3001/deliveries",
    "listen --forward http://localhost:3001/deliveries --types learnings",
  ],
  run: (input, terminal, withCaller) => {
    const forward = checkedUrl(input.requiredText("forward"), "--forward");
    const types = typesOf(input);
    const seconds = input.integer("every", everySeconds) ?? everySeconds.default;
    const secret = secretOf(input);
    const window = windowOf(input);
    return withCaller(async (client) => {
      const data = await organizationOf(client, input);
      const bells = types.map((type) => new Bell(type, client, window, orgQuery(input)));
      for (const bell of bells) await bell.look();
      terminal.out(input.flag("json") ? JSON.stringify({ secret }) : secret);
      for (;;) {
        for (const bell of bells) await bell.ring({ terminal, forward, secret, data });
        await systemClock.sleep(seconds * 1_000);
        for (const bell of bells) await bell.look().catch((error) => survive(error, terminal));
      }
    });
  },
});

function typesOf(input: CommandInput): readonly Listened[] {
  const wanted = input.list("types") ?? listened;
  const wrong = wanted.find((type) => !isListened(type));
  if (wrong !== undefined)
    throw new UsageError(`--types takes ${listened.join(", ")}; not ${JSON.stringify(wrong)}.`);
  return wanted.filter(isListened);
}

function windowOf(input: CommandInput): Window {
  const nowMs = systemClock.nowMs();
  const day = (days: number) => toTimestamp(nowMs + days * msPerDay).slice(0, 10);
  return { start_date: input.day("since") ?? day(-daysBack), end_date: day(daysAhead) };
}

function secretOf(input: CommandInput): string {
  const secret = input.text("secret") ?? secretText(systemRandom.bytes(webhookLimits.secretBytes));
  if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) throw new UsageError("--secret takes whsec_, then base64.");
  return secret;
}

/** As in rings of the service: the organization, unless the key or --org means several. */
async function organizationOf(client: Client, input: CommandInput) {
  const { key, scope } = (await client.whoami()).body;
  const org = input.text("org");
  const isSeveral = key.kind === "workspace" || key.kind === "instance";
  const organization = scope.organizations.find(({ provider, provider_organization_id: id }) =>
    org === undefined ? !isSeveral : org === id || org === `${provider}:${id}`,
  );
  return organization ? { organization_id: organization.provider_organization_id } : {};
}

/** A break of some minutes is no reason to end: the cursor misses nothing. */
export function survive(error: unknown, terminal: Terminal, isFirst = false): void {
  if (!canPass(error, isFirst)) throw error;
  terminal.say(describeApiError(error, "The service") ?? sentence(error));
}

type Program = {
  readonly terminal: Terminal;
  readonly forward: string;
  readonly secret: string;
  readonly data: { readonly organization_id?: string };
};

/** One type: where its walk is, and the ring that the program has not confirmed. */
class Bell {
  readonly #type: Listened;
  readonly #walkFrom: (position: Position) => Walk;
  readonly #scope: Position;
  #cursor: string | undefined;
  #recent: readonly string[] = [];
  #ringId: string | undefined;

  constructor(type: Listened, client: Client, window: Window, scope: Position) {
    this.#type = type;
    this.#walkFrom = (position) => walks[type](client, window, position);
    this.#scope = scope;
  }

  /** Walks from the cursor to the end. The first walk always rings, so that the program begins. */
  async look(): Promise<void> {
    let isNew = this.#cursor === undefined;
    let [cursor, recent] = [this.#cursor, this.#recent];
    const position = cursor === undefined ? {} : { cursor };
    for await (const { body, resumeCursor } of this.#walkFrom({ ...this.#scope, ...position })) {
      const found = [...body.data, ...("removed" in body ? (body.removed ?? []) : [])].map((record) =>
        JSON.stringify(record),
      );
      isNew ||= found.some((record) => !recent.includes(record));
      recent = [...recent, ...found].slice(-recentMax);
      cursor = resumeCursor ?? cursor;
    }
    // A walk that broke counts for nothing: the next one begins at the same place.
    [this.#cursor, this.#recent] = [cursor, recent];
    if (isNew) this.#ringId = `ring_${systemRandom.uuid()}`;
  }

  /** The next round rings again, with the same id, unless the program answered 2xx. */
  async ring({ terminal, forward, secret, data }: Program): Promise<void> {
    if (this.#ringId === undefined) return;
    const ring = { id: this.#ringId, type: this.#type, data };
    let problem = "no response";
    const answer = await fetch(forward, {
      method: "POST",
      ...signRing(ring, [secret], systemClock.nowMs()),
      redirect: "manual",
      signal: AbortSignal.timeout(webhookLimits.attemptMsMax),
    }).catch((error: unknown) => {
      problem = describeApiError(error, forward) ?? problem;
      return undefined;
    });
    await answer?.body?.cancel();
    terminal.say(`${this.#type}: ${answer ? answer.status : problem}`);
    if (answer?.ok) this.#ringId = undefined;
  }
}

export const commands: readonly Command[] = [listen];
