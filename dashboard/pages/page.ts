import type { Asked } from "../protocol.ts";
import type { PageSession } from "../session.ts";
import type { DashboardView } from "../view.ts";

/** What every page gets. */
export type PageProps = {
  readonly session: PageSession;
  readonly view: DashboardView;
  onView(view: DashboardView): void;
  /** Sends a wish to the worker. */
  ask(wish: Exclude<Asked, { readonly type: "show" | "reload" }>): void;
};
