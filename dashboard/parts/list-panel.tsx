import { useLayoutEffect, useRef } from "preact/hooks";
import { type ListedPullRequest, listColumns } from "../../lib/report/lists.ts";
import { definitions, formatCount, formatMinutes, longDay, noValue } from "../../lib/report/words.ts";
import type { PageProps } from "../pages/page.ts";
import type { ListedPullRequests } from "../protocol.ts";
import type { ShownColumn } from "../tables.ts";
import { defaultView } from "../view.ts";
import { ExternalLink, safeAddress } from "./external-link.tsx";
import { TableCard } from "./numbers.tsx";
import { Acceptance } from "./place-table.tsx";

type ListPanelProps = Pick<PageProps, "view" | "onView"> & { readonly listed: ListedPullRequests | null };

/** The pull requests behind a figure, over the page, which keeps its place. */
export const ListPanel = ({ listed, view, onView }: ListPanelProps) =>
  listed !== null && listed.id === view.listed ? <OpenList {...{ listed, view, onView }} /> : null;

type OpenListProps = ListPanelProps & { readonly listed: ListedPullRequests };

function OpenList({ listed, view, onView }: OpenListProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => onView({ ...view, listed: null, rows: defaultView.rows });
  useLayoutEffect(() => openAtTitle(dialog.current), []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too
    <dialog
      ref={dialog}
      class="panel"
      aria-label={listed.title}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={({ target }) => {
        if (target === dialog.current) close();
      }}
    >
      <TableCard
        title={listed.title}
        definition={sentenceOf(listed)}
        help={definitions.acceptance}
        numbers={numbersOf(listed)}
        shown={columns}
      >
        <button type="button" class="quiet close" onClick={close}>
          Close
        </button>
        {listed.count > listed.pullRequests.length && (
          <button type="button" onClick={() => onView({ ...view, rows: view.rows + defaultView.rows })}>
            Show {formatCount(defaultView.rows)} more
          </button>
        )}
      </TableCard>
    </dialog>
  );
}

/** A modal dialog keeps the focus inside; who closes it is back at the link that opened it. */
function openAtTitle(dialog: HTMLDialogElement | null): () => void {
  const opener = document.activeElement;
  dialog?.showModal();
  const title = dialog?.querySelector("h3");
  title?.setAttribute("tabindex", "-1");
  title?.focus();
  return () => {
    dialog?.close();
    if (opener instanceof HTMLElement) opener.focus();
  };
}

function sentenceOf({ definition, count, pullRequests }: ListedPullRequests): string {
  if (count === 0) return definition;
  const shown = pullRequests.length;
  return count > shown
    ? `${definition} The first ${formatCount(shown)} of ${formatCount(count)} in this period; the file has what is shown.`
    : `${definition} All ${formatCount(count)} of this period.`;
}

/** Its rows are drawn with links and colours; the file has what every list has. */
const numbersOf = ({ list, title, pullRequests }: ListedPullRequests) => ({
  name: list === null ? "pull-requests" : `pull-requests-${list}`,
  caption: title,
  columns: listColumns.map(([name, value]) => ({ name, head: name, cell: value, value })),
  rows: pullRequests,
});

const columns: ReadonlyArray<ShownColumn<ListedPullRequest>> = [
  { head: "Pull request", cell: ({ url }) => <ExternalLink to={url}>{shortAddress(url)}</ExternalLink> },
  { head: "Acceptance", look: "number", cell: ({ findings }) => <Acceptance share={findings.acceptance} /> },
  { head: "Author", cell: ({ author }) => author ?? noValue },
  { head: "Team", cell: ({ teams }) => teams?.join(", ") || noValue },
  { head: "Merged", cell: ({ merged_at }) => longDay(merged_at) },
  { head: "Findings", look: "number", cell: ({ findings }) => formatCount(findings.posted) },
  { head: "Not accepted", look: "number", cell: ({ findings }) => formatCount(findings.not_accepted) },
  { head: "First review", look: "number", cell: (each) => formatMinutes(each.first_review_minutes) },
  { head: "Merge", look: "number", cell: ({ merge_minutes }) => formatMinutes(merge_minutes) },
];

/** The path identifies the pull request; a text that is not a URL is shown unchanged. */
const shortAddress = (address: string): string => {
  const link = safeAddress(address);
  return link === null ? address : new URL(link).pathname.slice(1) || link;
};
