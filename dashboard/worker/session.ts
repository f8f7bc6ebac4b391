import { createClient, ReviewApiError } from "../../lib/client/client.ts";
import type { Clock } from "../../lib/runtime/clock.ts";
import { sectionsRead } from "../pages.ts";
import {
  type Asked,
  actions,
  type FromWorker,
  type KeyIdentity,
  type LearningSearchState,
  type SectionFault,
  type ShownView,
  type WaitingNotice,
} from "../protocol.ts";
import { organizationName } from "../view.ts";
import { rateLimitedFetch } from "./pace.ts";
import { narrowingOf, searchScope, webhookScope } from "./read.ts";
import { refusalOf } from "./refusal.ts";
import type { Context, SourceDeps } from "./source.ts";
import { createSources, sectionNames } from "./sources.ts";
import { wordsOfDelivery, wordsOfTest } from "./webhooks.ts";

export type WorkerSessionOptions = {
  readonly baseUrl: string;
  readonly key: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  send(message: FromWorker): void;
};

/** Resolves when the answer is sent. */
export type WorkerSession = (asked: Asked) => Promise<void>;

/** Reads with one key, keeps the records, and sends the figures of the shown view. */
export function createSession(options: WorkerSessionOptions, first: ShownView): WorkerSession {
  const { baseUrl, key, clock } = options;
  let view = first;
  let identity: KeyIdentity | undefined;
  const { send, end } = untilRefused(options.send);
  const fetch = rateLimitedFetch(options.fetch, clock, longestWait(send));
  const client = createClient({ baseUrl, key, fetch });
  const onFault = (error: unknown): SectionFault => {
    if (isRefusal(error)) end(refusal);
    return { status: isForbidden(error) ? "left-out" : "failed", sentence: sentenceOf(error) };
  };
  const sources = createSources({ client, send, onFault }, clock);
  const context = (): Context | undefined =>
    identity && { identity, view, narrowing: narrowingOf(identity, view.organizations) };
  const refresh = () => {
    const now = context();
    if (now) updateAll(sources, now);
  };
  const begin = async () => {
    try {
      const { body } = await client.whoami();
      if (body.key.kind === "agentic") return end(agenticRefusal);
      identity = body;
      send({ type: "identity", identity, allowed: actions.filter((name) => refusalOf(body, name) === null) });
      for (const name of sectionNames) sources[name].forget();
      refresh();
    } catch (error) {
      if (isRefusal(error)) onFault(error);
      // The records read before stay: one missing answer does not invalidate them.
      else send({ type: identity ? "not-refreshed" : "unreachable", sentence: sentenceOf(error) });
    }
  };
  void begin();
  const act = createActions({ client, sources, send, onFault, refresh });
  return async (asked) => {
    if ("view" in asked) view = asked.view;
    else if (asked.type === "retry") sources[asked.name].forget();
    else {
      const now = context();
      return now && (await act(asked, now));
    }
    if (asked.type === "reload") void begin();
    else refresh();
  };
}

/** After a refusal of the key, no more messages are sent. */
function untilRefused(sendOn: (message: FromWorker) => void) {
  let isOver = false;
  const send = (message: FromWorker) => {
    if (!isOver) sendOn(message);
  };
  const end = (sentence: string) => {
    send({ type: "refused", sentence });
    isOver = true;
  };
  return { send, end };
}

type Sources = ReturnType<typeof createSources>;

/** Reads what the view's page shows; of everything else it only says whether the key may read it. */
function updateAll(sources: Sources, context: Context): void {
  const wanted = sectionsRead(context.view.page, (name) => sources[name].refusal(context) === null);
  for (const name of sectionNames)
    if (wanted.has(name)) sources[name].update(context);
    else sources[name].offer(context);
}

/** The page names one wait, the longest. */
function longestWait(send: (message: FromWorker) => void) {
  const waits = new Map<string, WaitingNotice>();
  return (bucket: string, waiting: WaitingNotice | null): void => {
    if (waiting === null && !waits.delete(bucket)) return;
    if (waiting !== null) waits.set(bucket, waiting);
    const [longest = null] = [...waits.values()].toSorted((one, other) => other.seconds - one.seconds);
    send({ type: "waiting", waiting: longest });
  };
}

type ActionDeps = Pick<SourceDeps, "client" | "onFault"> & {
  readonly sources: Sources;
  send(message: FromWorker): void;
  refresh(): void;
};
type AskedAction = Exclude<Asked, { readonly type: "show" | "reload" | "retry" }>;
type AskedRequest = Exclude<AskedAction, { readonly type: "search" }>;

/** What a person asks for besides figures. */
function createActions(deps: ActionDeps) {
  const { send, onFault } = deps;
  const search = createSearch(deps);
  return async (asked: AskedAction, now: Context): Promise<void> => {
    if (asked.type === "search") return search(asked.query, now);
    try {
      send(await answerTo(asked, now, deps));
    } catch (error) {
      send(failureOf(asked, onFault(error).sentence));
    }
  };
}

async function answerTo(
  asked: AskedRequest,
  { narrowing }: Context,
  { client, sources, refresh }: ActionDeps,
): Promise<FromWorker> {
  if (asked.type === "decide") {
    const { learning, decision } = asked;
    const { id, provider, organization_id } = learning;
    const org_id = organizationName(provider, organization_id);
    await client.decideLearning({ path: { learning_id: id }, body: { decision, org_id } });
    sources.pending.change((records) => records.filter((each) => each.id !== id));
    // An approved Learning is now in the list of Learnings, and both decisions are in the audit log.
    for (const source of [sources.learnings, sources.audit]) source.forget();
    refresh();
    return { type: "decided", id, sentence: `The Learning is ${decision}d.`, isDone: true };
  }
  const { id } = asked;
  const [path, scope] = [{ webhook_id: id }, webhookScope(narrowing.filter)];
  if (asked.type === "test-webhook") {
    const { body } = await client.testWebhook({ path, body: scope });
    return { type: "webhook-tested", id, test: wordsOfTest(body) };
  }
  const { body } = await client.listWebhookDeliveries({ path, query: { ...scope, limit: 5 } });
  return { type: "deliveries-listed", id, deliveries: body.data.map(wordsOfDelivery) };
}

function failureOf(asked: AskedRequest, sentence: string): FromWorker {
  switch (asked.type) {
    case "decide":
      return { type: "decided", id: asked.learning.id, sentence, isDone: false };
    case "test-webhook":
      return { type: "webhook-tested", id: asked.id, test: { sentence, isDelivered: false } };
    case "list-deliveries":
      return { type: "deliveries-listed", id: asked.id, deliveries: sentence };
  }
}

/** Only the last search counts. */
function createSearch({ client, send, onFault }: ActionDeps) {
  let latest = new AbortController();
  return async (query: string, { identity, view, narrowing }: Context): Promise<void> => {
    latest.abort();
    latest = new AbortController();
    const { signal } = latest;
    const sendSearch = (search: LearningSearchState) => {
      if (!signal.aborted) send({ type: "searched", search });
    };
    const sentence = refusalOf(identity, "searchLearnings", undefined, narrowing.organizations);
    if (sentence !== null) return sendSearch({ status: "failed", sentence });
    sendSearch({ status: "searching" });
    try {
      const body = { query, ...searchScope(identity, view) };
      const { data } = (await client.searchLearnings({ body }, { signal })).body;
      sendSearch({ status: "found", results: data });
    } catch (error) {
      sendSearch({ status: "failed", sentence: onFault(error).sentence });
    }
  };
}

const refusal =
  "The service refuses this key: it is mistyped, or it has expired, was revoked, or is the old value of a rotated key. Paste another one.";

const agenticRefusal =
  "This is an agentic key: agents use it to say who they are, and it reads no figures. Paste a key of another kind.";

const isRefusal = (error: unknown): boolean => error instanceof ReviewApiError && error.status === 401;

/** The key may not do this, or the plan does not include it; a retry would get the same answer. */
const forbidden = [402, 403, 404, 410];
const isForbidden = (error: unknown): boolean =>
  error instanceof ReviewApiError && forbidden.includes(error.status);

/** fetch reports a broken connection as a TypeError, with a message that depends on the browser. */
const sentenceOf = (error: unknown): string => {
  if (error instanceof ReviewApiError)
    return error.requestId === null ? error.message : `${error.message} Request id: ${error.requestId}.`;
  return error instanceof TypeError ? "The service does not respond." : String(error);
};
