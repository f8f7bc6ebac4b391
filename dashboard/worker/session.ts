import { createClient, ReviewApiError } from "../../lib/client/client.ts";
import type { Clock } from "../../lib/runtime/clock.ts";
import { sectionsRead } from "../pages.ts";
import type {
  ApprovalAction,
  FromWorker,
  KeyIdentity,
  LearningSearchState,
  PendingLearning,
  SectionName,
  SectionState,
  ShownView,
  WaitingNotice,
  WebhookTest,
} from "../protocol.ts";
import { organizationName } from "../view.ts";
import { rateLimitedFetch } from "./pace.ts";
import { narrowingOf, searchScope } from "./read.ts";
import { refusalOf } from "./refusal.ts";
import { createSources, sectionNames } from "./sources.ts";
import { webhookScope, wordsOfDelivery, wordsOfTest } from "./webhooks.ts";

export type WorkerSessionOptions = {
  readonly baseUrl: string;
  readonly key: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  send(message: FromWorker): void;
};

export type WorkerSession = {
  show(view: ShownView): void;
  reload(view: ShownView): void;
  retry(name: SectionName): void;
  search(query: string): Promise<void>;
  decide(learning: PendingLearning, decision: ApprovalAction): Promise<void>;
  testWebhook(id: string): Promise<void>;
  listDeliveries(id: string): Promise<void>;
};

/** Reads with one key, keeps the records, and sends the figures of the shown view. */
export function createSession(options: WorkerSessionOptions, first: ShownView): WorkerSession {
  const { baseUrl, key, clock } = options;
  let view = first;
  let identity: KeyIdentity | undefined;
  let isOver = false;
  /** After a refusal of the key, no more messages are sent. */
  const send = (message: FromWorker) => {
    if (!isOver) options.send(message);
  };
  const waits = new Map<string, WaitingNotice>();
  const fetch = rateLimitedFetch(options.fetch, clock, (bucket, waiting) => {
    if (waiting === null && !waits.delete(bucket)) return;
    if (waiting !== null) waits.set(bucket, waiting);
    const [longest = null] = [...waits.values()].toSorted((one, other) => other.seconds - one.seconds);
    send({ type: "waiting", waiting: longest });
  });
  const client = createClient({ baseUrl, key, fetch });
  const onFault = (error: unknown): SectionState<never> => {
    if (isRefusal(error)) {
      send({ type: "refused", sentence: refusal });
      isOver = true;
    }
    const status = isForbidden(error) ? "left-out" : "failed";
    return { status, sentence: sentenceOf(error) };
  };
  const sources = createSources({ client, send, onFault }, clock);

  const refresh = () => {
    if (!identity) return;
    const context = { identity, view, narrowing: narrowingOf(identity, view.organizations) };
    const wanted = sectionsRead(view.page, (name) => sources[name].refusal(context) === null);
    for (const name of sectionNames)
      if (wanted.has(name)) sources[name].update(context);
      else sources[name].offer(context);
  };

  const begin = async () => {
    try {
      const { body } = await client.whoami();
      if (body.key.kind === "agentic") {
        send({ type: "refused", sentence: agenticRefusal });
        isOver = true;
        return;
      }
      identity = body;
      send({ type: "identity", identity });
      for (const name of sectionNames) sources[name].forget();
      refresh();
    } catch (error) {
      if (isRefusal(error)) onFault(error);
      // The records read before stay: one missing answer does not invalidate them.
      else send({ type: identity ? "not-refreshed" : "unreachable", sentence: sentenceOf(error) });
    }
  };
  void begin();
  let searching = new AbortController();

  return {
    show(next) {
      view = next;
      refresh();
    },
    reload(next) {
      view = next;
      void begin();
    },
    retry(name) {
      sources[name].forget();
      refresh();
    },
    async search(query) {
      if (!identity) return;
      searching.abort();
      searching = new AbortController();
      const { signal } = searching;
      const sendSearch = (search: LearningSearchState) => {
        if (!signal.aborted) send({ type: "searched", search });
      };
      const { organizations } = narrowingOf(identity, view.organizations);
      const sentence = refusalOf(identity, "searchLearnings", undefined, organizations);
      if (sentence !== null) return sendSearch({ status: "failed", sentence });
      sendSearch({ status: "searching" });
      try {
        const body = { query, ...searchScope(identity, view) };
        const { data } = (await client.searchLearnings({ body }, { signal })).body;
        sendSearch({ status: "found", results: data });
      } catch (error) {
        onFault(error);
        sendSearch({ status: "failed", sentence: sentenceOf(error) });
      }
    },
    async decide(learning, decision) {
      const { id, provider, organization_id } = learning;
      const org_id = organizationName(provider, organization_id);
      const message = { type: "decided", id } as const;
      try {
        await client.decideLearning({ path: { learning_id: id }, body: { decision, org_id } });
        sources.pending.change((records) => records.filter((each) => each.id !== id));
        // An approved Learning is now in the list of Learnings, and both decisions are in the audit log.
        for (const source of [sources.learnings, sources.audit]) source.forget();
        refresh();
        send({ ...message, sentence: `The Learning is ${decision}d.`, isDone: true });
      } catch (error) {
        onFault(error);
        send({ ...message, sentence: sentenceOf(error), isDone: false });
      }
    },
    async testWebhook(id) {
      if (!identity) return;
      const { filter } = narrowingOf(identity, view.organizations);
      const sendTest = (test: WebhookTest) => send({ type: "webhook-tested", id, test });
      try {
        const request = { path: { webhook_id: id }, body: webhookScope(filter) };
        sendTest(wordsOfTest((await client.testWebhook(request)).body));
      } catch (error) {
        onFault(error);
        sendTest({ sentence: sentenceOf(error), isDelivered: false });
      }
    },
    async listDeliveries(id) {
      if (!identity) return;
      const query = { ...webhookScope(narrowingOf(identity, view.organizations).filter), limit: 5 };
      const message = { type: "deliveries-listed", id } as const;
      try {
        const { data } = (await client.listWebhookDeliveries({ path: { webhook_id: id }, query })).body;
        send({ ...message, deliveries: data.map(wordsOfDelivery) });
      } catch (error) {
        onFault(error);
        send({ ...message, deliveries: sentenceOf(error) });
      }
    },
  };
}

const refusal =
  "The service refuses this key: it is mistyped, or it has expired, was revoked or was replaced. Paste another one.";

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
  return error instanceof TypeError ? "The service does not answer." : String(error);
};
