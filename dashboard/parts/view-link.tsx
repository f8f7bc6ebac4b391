import type { ComponentChildren } from "preact";
import { addressOf, type DashboardView } from "../view.ts";

type ViewLinkProps = {
  readonly to: DashboardView;
  onView(view: DashboardView): void;
  readonly class?: string;
  readonly isCurrent?: boolean;
  readonly children: ComponentChildren;
};

/** A link to another view of this page: the worker and its key stay, unless a person opens it in a new tab. */
export const ViewLink = ({ to, onView, class: look, isCurrent, children }: ViewLinkProps) => (
  <a
    class={look}
    href={viewAddress(to)}
    aria-current={isCurrent ? "page" : undefined}
    onClick={(event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      onView(to);
    }}
  >
    {children}
  </a>
);

/** Without a hash, the path: an empty hash would only jump to the top. */
export const viewAddress = (view: DashboardView): string => {
  const address = addressOf(view);
  return address === "" ? location.pathname : `#${address}`;
};
