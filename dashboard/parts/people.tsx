import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ReportRow } from "../../lib/report/report.ts";
import { definitions, formatCount, formatMinutes, formatShare } from "../../lib/report/words.ts";
import { longInstant } from "../days.ts";
import { safeAddress } from "../links.ts";
import type { ListedPullRequest, ReviewFigures } from "../protocol.ts";
import { countColumn, figureColumnsOf, textColumn } from "../tables.ts";
import type { DashboardView } from "../view.ts";
import { Card, NumberTable, Scroll } from "./numbers.tsx";

type Props = {
  readonly figures: ReviewFigures;
  readonly view: DashboardView;
  onView(view: DashboardView): void;
};

/** Shown only if the user chose it, and in alphabetical order: this page does not rank people. */
export function Authors({ figures: { authors }, view, onView }: Props) {
  const choose = (byAuthor: boolean) => onView({ ...view, byAuthor });
  if (!view.byAuthor || authors === null)
    return (
      <section class="card offer">
        <h3>By author</h3>
        <p class="definition">
          Not shown unless you choose it. It is in alphabetical order: this page is no ranking of people, and
          an author's figures say more about the code they were given than about them.
        </p>
        <button type="button" onClick={() => choose(true)}>
          Show by author
        </button>
      </section>
    );
  const numbers = {
    name: "authors",
    caption: "By author, in alphabetical order",
    columns: [
      textColumn("author", "Author", ({ name }: ReportRow) => name),
      textColumn("organization", "Organization", ({ organization }: ReportRow) => organization),
      ...figureColumnsOf<ReportRow>(),
    ],
    rows: authors,
  };
  return (
    <Card
      title="By author"
      definition={`In alphabetical order: this page is no ranking of people. Acceptance: ${definitions.acceptanceInShort}`}
      numbers={numbers}
      isTable
      class="table"
    >
      <NumberTable numbers={numbers} />
      <button type="button" class="quiet" onClick={() => choose(false)}>
        Hide authors
      </button>
    </Card>
  );
}

/** An address that others wrote becomes a link only if it is http or https. */
export function ExternalLink({
  to,
  children,
}: {
  readonly to: string | null;
  readonly children: ComponentChildren;
}) {
  const address = safeAddress(to);
  return address === null ? (
    <span>{children}</span>
  ) : (
    <a href={address} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

export function PullRequests({ figures: { listed }, view, onView }: Props) {
  const heading = useRef<HTMLDivElement>(null);
  const id = listed?.repository.id ?? null;
  useEffect(() => {
    if (id !== null) heading.current?.focus();
  }, [id]);
  if (view.listed === null || listed === null) return null;
  const { repository, pullRequests, count } = listed;
  const numbers = {
    name: "pull-requests",
    caption: `Pull requests of ${repository.name}`,
    columns: [
      textColumn("url", "Pull request", ({ url }: ListedPullRequest) => url),
      // A file does not contain names of people either, unless the user chose them.
      ...(view.byAuthor ? [textColumn("author", "Author", ({ author }: ListedPullRequest) => author)] : []),
      textColumn("merged_at", "Merged", ({ mergedAt }: ListedPullRequest) => mergedAt),
      countColumn("complexity", "Complexity", ({ complexity }: ListedPullRequest) => complexity),
      ...figureColumnsOf<ListedPullRequest>(
        "findings",
        "accepted",
        "not_accepted",
        "unknown",
        "first_review_median_minutes",
        "merge_median_minutes",
      ),
    ],
    rows: pullRequests,
  };
  return (
    <div ref={heading} tabIndex={-1} class="listed">
      <Card
        title={`Pull requests of ${repository.name}`}
        definition={`${
          count > pullRequests.length
            ? `The newest ${formatCount(pullRequests.length)} of ${formatCount(count)} in this period.`
            : `All ${formatCount(count)} of this period, newest first.`
        } Acceptance: ${definitions.acceptanceInShort}`}
        numbers={numbers}
        isTable
        class="table"
      >
        <Scroll label={`Pull requests of ${repository.name}`}>
          <table>
            <thead>
              <tr>
                <th scope="col">Pull request</th>
                <th scope="col">Merged</th>
                <th scope="col" class="number">
                  Complexity
                </th>
                <th scope="col" class="number">
                  Findings
                </th>
                <th scope="col" class="number">
                  Acceptance
                </th>
                <th scope="col" class="number">
                  First review
                </th>
                <th scope="col" class="number">
                  Merge
                </th>
              </tr>
            </thead>
            <tbody>
              {pullRequests.map((each) => (
                <PullRequestLine key={each.url} {...each} />
              ))}
            </tbody>
          </table>
        </Scroll>
        <button type="button" class="quiet" onClick={() => onView({ ...view, listed: null })}>
          Close the list
        </button>
      </Card>
    </div>
  );
}

const PullRequestLine = ({ url, mergedAt, complexity, figures }: ListedPullRequest) => (
  <tr>
    <th scope="row">
      <ExternalLink to={url}>{shortAddress(url)}</ExternalLink>
    </th>
    <td>{longInstant(mergedAt)}</td>
    <td class="number">{complexity ?? "–"}</td>
    <td class="number">{formatCount(figures.findings.posted)}</td>
    <td class="number">{formatShare(figures.findings.acceptance)}</td>
    <td class="number">{formatMinutes(figures.time_to_first_human_review.median_minutes)}</td>
    <td class="number">{formatMinutes(figures.time_to_merge.median_minutes)}</td>
  </tr>
);

/** The path identifies the pull request; a text that is not a URL is shown unchanged. */
const shortAddress = (address: string): string => {
  const link = safeAddress(address);
  return link === null ? address : new URL(link).pathname.slice(1) || link;
};
