import { sectionTitles } from "./pages.ts";
import type {
  Action,
  FromWorker,
  KeyIdentity,
  LearningSearchState,
  SectionMessage,
  SectionName,
  SectionState,
  Sections,
  ToWorker,
  WaitingNotice,
  WebhookDelivery,
  WebhookTest,
} from "./protocol.ts";

/** What the page knows about its worker's work. */
export type PageSession = {
  readonly phase: "closed" | "opening" | "open";
  /** Why there is no open session, or why an open one was not refreshed, if there is a reason. */
  readonly notice: string | null;
  readonly identity: KeyIdentity | null;
  /** What the key may do besides reading figures. */
  readonly allowed: readonly Action[];
  readonly sections: SectionViews;
  readonly waiting: WaitingNotice | null;
  /** Why decisions failed, by the id of the Learning. */
  readonly undecided: Readonly<Record<string, string>>;
  readonly search: LearningSearchState | null;
  /** The last test of each webhook, by its id. */
  readonly webhookTests: Readonly<Record<string, WebhookTest>>;
  /** The last deliveries of each webhook that somebody asked for, by its id, or why they are not there. */
  readonly deliveries: Readonly<Record<string, readonly WebhookDelivery[] | string>>;
  /** For a screen reader: the last thing that happened. */
  readonly announcement: string;
};

export type SectionView<Data> = {
  readonly state: SectionState<Data>;
  /** The figures on the page: the previous ones while new ones are read. */
  readonly shown: Data | null;
};
export type SectionViews = { readonly [Name in SectionName]: SectionView<Sections[Name]> };

const unread: SectionView<never> = { state: { status: "unread" }, shown: null };

export const closedSession: PageSession = {
  phase: "closed",
  notice: null,
  identity: null,
  allowed: [],
  sections: {
    reviews: unread,
    before: unread,
    teams: unread,
    mcp: unread,
    security: unread,
    seats: unread,
    seatUse: unread,
    keys: unread,
    learnings: unread,
    pending: unread,
    webhooks: unread,
    audit: unread,
  },
  waiting: null,
  undecided: {},
  search: null,
  webhookTests: {},
  deliveries: {},
  announcement: "",
};

export type SessionEvent = FromWorker | { readonly type: "opening" | "closed" | "link-refused" };

export function nextSession(session: PageSession, event: SessionEvent): PageSession {
  switch (event.type) {
    case "opening":
      return { ...closedSession, phase: "opening" };
    case "closed":
      return closedSession;
    case "link-refused":
      return { ...session, notice: linkRefused, announcement: linkRefused };
    case "identity": {
      const { identity, allowed } = event;
      return {
        ...session,
        phase: "open",
        notice: session.phase === "open" ? null : session.notice,
        identity,
        allowed,
      };
    }
    case "refused":
    case "unreachable":
      return { ...closedSession, notice: event.sentence };
    case "not-refreshed":
      // Seen and heard.
      return { ...session, notice: notRefreshed(event), announcement: notRefreshed(event) };
    case "waiting":
      return { ...session, waiting: event.waiting };
    case "searched": {
      const { search } = event;
      const found = search.status === "found" ? `${search.results.length} Learnings were found.` : null;
      return { ...session, search, announcement: found ?? session.announcement };
    }
    case "decided": {
      const { [event.id]: _, ...others } = session.undecided;
      return {
        ...session,
        announcement: event.sentence,
        undecided: event.isDone ? others : { ...others, [event.id]: event.sentence },
      };
    }
    case "webhook-tested":
      return { ...session, webhookTests: { ...session.webhookTests, [event.id]: event.test } };
    case "deliveries-listed":
      return { ...session, deliveries: { ...session.deliveries, [event.id]: event.deliveries } };
    case "section":
      return {
        ...session,
        announcement: announcementOf(event) ?? session.announcement,
        sections: withSection(session.sections, event),
      };
  }
}

const linkRefused =
  "The link's key was not used, because this tab has a key. Forget that one, then open the link again.";

const notRefreshed = ({ sentence }: { readonly sentence: string }): string =>
  `These figures were not refreshed: ${sentence}`;

const announcementOf = ({ name, state }: SectionMessage): string | null => {
  if (state.status === "failed") return `${sectionTitles[name]} could not be read.`;
  return name === "reviews" && state.status === "ready" ? "The figures are up to date." : null;
};

function withSection(sections: SectionViews, message: SectionMessage): SectionViews {
  const { name, state } = message;
  const shown =
    state.status === "ready" ? state.data : state.status === "loading" ? sections[name].shown : null;
  return { ...sections, [name]: { state, shown } };
}

const storedKey = "review-api-key";

/**
 * A key that a person asked to keep: only in this tab, and deleted with it. If the browser stores nothing, the page
 * asks again.
 */
export const tabKey = {
  read: (): string | null => ifAllowed(() => sessionStorage.getItem(storedKey)) ?? null,
  keep: (key: string): void => ifAllowed(() => sessionStorage.setItem(storedKey, key)),
  forget: (): void => ifAllowed(() => sessionStorage.removeItem(storedKey)),
};

/** A key that a link carries behind `#`, which no server sees: the page takes it out of the address. */
export function keyOfLink(view: string): string | null {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (key !== null) history.replaceState(null, "", view);
  return key?.trim() || null;
}

/** If a person has disabled storage, accessing it throws. */
function ifAllowed<Result>(use: () => Result): Result | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

/** The address of the API: this page is at `/dashboard` beside it, possibly below a stage. */
export const baseUrl = (): string => `${location.origin}${location.pathname.replace(/\/dashboard\/?$/, "")}`;

export type WorkerConnection = { send(message: ToWorker): void; end(): void };

/** Ending the connection also forgets the key: only the worker holds it. */
export function connect(onMessage: (message: FromWorker) => void): WorkerConnection {
  const worker = new Worker(workerAddress());
  worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => onMessage(data));
  return {
    send: (message) => worker.postMessage(message),
    end: () => worker.terminate(),
  };
}

/** Browsers with trusted types accept only a policy's result where text becomes script. */
type Policy = { createScriptURL(address: string): string };

declare global {
  // Actually returns an object that represents the text; its consumers accept both.
  var trustedTypes: { createPolicy(name: string, rules: Policy): Policy } | undefined;
}

/** The only address that may become a script: the page's own worker. */
const workerScript = "dashboard/worker.js";
let policy: Policy | undefined;

function workerAddress(): string {
  policy ??= globalThis.trustedTypes?.createPolicy("dashboard", { createScriptURL: () => workerScript });
  return policy?.createScriptURL(workerScript) ?? workerScript;
}
