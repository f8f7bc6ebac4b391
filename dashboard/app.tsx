import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { systemClock } from "../lib/runtime/clock.ts";
import { Dashboard } from "./parts/dashboard.tsx";
import { KeyForm } from "./parts/key-form.tsx";
import { viewAddress } from "./parts/view-link.tsx";
import type { ShownView, ToWorker } from "./protocol.ts";
import {
  baseUrl,
  closedSession,
  connect,
  keyOfLink,
  nextSession,
  tabKey,
  type WorkerConnection,
} from "./session.ts";
import { type DashboardView, parseView, resolvePeriod } from "./view.ts";

const shownView = ({ period, sort: _, teamSort: __, ...shown }: DashboardView): ShownView => ({
  ...shown,
  period: resolvePeriod(period, systemClock.nowMs()),
});

/** The session with the worker: it begins with a key, and ends with it. */
function useWorker() {
  const [session, dispatch] = useReducer(nextSession, closedSession);
  const connection = useRef<WorkerConnection | null>(null);
  const end = () => {
    connection.current?.end();
    connection.current = null;
  };
  const close = () => {
    end();
    tabKey.forget();
  };
  const open = (key: string, isKept: boolean, view: DashboardView) => {
    end();
    if (isKept) tabKey.keep(key);
    else tabKey.forget();
    dispatch({ type: "opening" });
    connection.current = connect((message) => {
      // A key that does not work is forgotten, together with everything read with it.
      if (message.type === "refused") close();
      // A key that may work later stays in the tab, if the person asked for that.
      if (message.type === "unreachable") end();
      dispatch(message);
    });
    connection.current.send({ type: "begin", baseUrl: baseUrl(), key, view: shownView(view) });
  };
  const forget = () => {
    close();
    dispatch({ type: "closed" });
  };
  return {
    session,
    open,
    forget,
    hasKey: () => connection.current !== null || tabKey.read() !== null,
    refuseLink: () => dispatch({ type: "link-refused" }),
    send: (message: ToWorker) => connection.current?.send(message),
  };
}

export function App() {
  const { session, open, forget, hasKey, refuseLink, send } = useWorker();
  const [view, setView] = useState(() => parseView(location.hash));
  const show = (next: DashboardView) => {
    setView(next);
    send({ type: "show", view: shownView(next) });
  };
  const choose = (next: DashboardView) => {
    history.pushState(null, "", viewAddress(next));
    show(next);
  };

  /** Whoever sends a link must not put their key in the place of this tab's. */
  const openLink = (next: DashboardView) => {
    const key = keyOfLink(viewAddress(next));
    if (key === null) return;
    if (hasKey()) refuseLink();
    else open(key, false, next);
  };

  // Once, when the page starts.
  useEffect(() => {
    const kept = tabKey.read();
    if (kept !== null) open(kept, true, view);
    openLink(view);
    const onAddress = () => {
      const next = parseView(location.hash);
      openLink(next);
      show(next);
    };
    addEventListener("popstate", onAddress);
    return () => removeEventListener("popstate", onAddress);
  }, []);

  if (session.phase !== "open")
    return (
      <KeyForm
        isOpening={session.phase === "opening"}
        notice={session.notice}
        onKey={(key, isKept) => open(key, isKept, view)}
      />
    );
  return (
    <Dashboard
      session={session}
      view={view}
      onView={choose}
      onReload={() => send({ type: "reload", view: shownView(view) })}
      onForget={forget}
      ask={send}
    />
  );
}
