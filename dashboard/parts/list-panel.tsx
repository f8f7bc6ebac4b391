import { useLayoutEffect, useRef } from "preact/hooks";
import { type ListedPullRequest, listColumns } from "../../lib/report/lists.ts";
import { definitions, formatCount, formatMinutes, noValue } from "../../lib/report/words.ts";
import { longDay } from "../days.ts";
import type { PageProps } from "../pages/page.ts";
import type { ListedPullRequests } from "../protocol.ts";
import { defaultView } from "../view.ts";
import { ExternalLink, safeAddress } from "./external-link.tsx";
import { Card, Table } from "./numbers.tsx";
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
      <Card
        title={listed.title}
        definition={sentenceOf(listed)}
        help={definitions.acceptance}
        numbers={numbersOf(listed)}
        isTable
        class="table"
      >
        <button type="button" class="quiet close" onClick={close}>
          Close
        </button>
        {listed.count > 0 && (
          <Table label={listed.title} heads={heads}>
            {listed.pullRequests.map((each) => (
              <PullRequestLine key={each.url} {...each} />
            ))}
          </Table>
        )}
        {listed.count > listed.pullRequests.length && (
          <button type="button" onClick={() => onView({ ...view, rows: view.rows + defaultView.rows })}>
            Show {formatCount(defaultView.rows)} more
          </button>
        )}
      </Card>
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
  if (count === 0) return "There are none in this period.";
  const shown = pullRequests.length;
  return count > shown
    ? `${definition} The first ${formatCount(shown)} of ${formatCount(count)} in this period; the file has what is shown.`
    : `${definition} All ${formatCount(count)} of this period.`;
}

/** Its rows are drawn with links and colours; the file has what every list has. */
const numbersOf = ({ list, title, pullRequests }: ListedPullRequests) => ({
  name: list === null ? "pull-requests" : `pull-requests-${list}`,
  caption: title,
  columns: listColumns.map(([name, value]) => ({ name, head: name, text: String, value, isNumber: false })),
  rows: pullRequests,
});

const number = (head: string) => ({ head, isNumber: true });
const heads = [
  ...["Pull request", number("Acceptance"), "Author", "Team", "Merged"],
  ...["Findings", "Not accepted", "First review", "Merge"].map(number),
];

const PullRequestLine = (listed: ListedPullRequest) => (
  <tr>
    <th scope="row">
      <ExternalLink to={listed.url}>{shortAddress(listed.url)}</ExternalLink>
    </th>
    <td class="number">
      <Acceptance share={listed.findings.acceptance} />
    </td>
    <td>{listed.author ?? noValue}</td>
    <td>{listed.teams?.join(", ") || noValue}</td>
    <td>{longDay(listed.merged_at)}</td>
    <td class="number">{formatCount(listed.findings.posted)}</td>
    <td class="number">{formatCount(listed.findings.not_accepted)}</td>
    <td class="number">{formatMinutes(listed.first_review_minutes)}</td>
    <td class="number">{formatMinutes(listed.merge_minutes)}</td>
  </tr>
);

/** The path identifies the pull request; a text that is not a URL is shown unchanged. */
const shortAddress = (address: string): string => {
  const link = safeAddress(address);
  return link === null ? address : new URL(link).pathname.slice(1) || link;
};
