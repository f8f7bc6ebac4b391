import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ListedPullRequest } from "../../lib/report/lists.ts";
import { definitions, formatCount, formatMinutes, formatShare } from "../../lib/report/words.ts";
import { longInstant } from "../days.ts";
import { safeAddress } from "../links.ts";
import type { ListedPullRequests, ReviewFigures } from "../protocol.ts";
import { countColumn, figuresBy, textColumn } from "../tables.ts";
import type { DashboardView } from "../view.ts";
import { Card, NumberTable, numberHeads, Table } from "./numbers.tsx";

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
  const numbers = figuresBy("author", "Author", authors);
  return (
    <Card
      title="By author"
      definition="In alphabetical order: this page is no ranking of people."
      help={definitions.acceptance}
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
  const id = listed?.id ?? null;
  useEffect(() => {
    if (id !== null) heading.current?.focus();
  }, [id]);
  if (view.listed === null || listed === null) return null;
  const { title, pullRequests, count } = listed;
  const numbers = {
    name: listed.list === null ? "pull-requests" : `pull-requests-${listed.list}`,
    caption: title,
    columns: [
      textColumn("url", "Pull request", ({ url }: ListedPullRequest) => url),
      // A file does not contain names of people either, unless the user chose them.
      ...(view.byAuthor ? [textColumn("author", "Author", ({ author }: ListedPullRequest) => author)] : []),
      textColumn("repository", "Repository", ({ repository }: ListedPullRequest) => repository),
      textColumn("merged_at", "Merged", ({ merged_at }: ListedPullRequest) => merged_at),
      countColumn("complexity", "Complexity", ({ complexity }: ListedPullRequest) => complexity),
      countColumn("findings", "Findings", ({ findings }: ListedPullRequest) => findings.posted),
      countColumn("accepted", "Accepted", ({ findings }: ListedPullRequest) => findings.accepted),
      countColumn("not_accepted", "Not accepted", ({ findings }: ListedPullRequest) => findings.not_accepted),
      countColumn("unknown", "Unknown", ({ findings }: ListedPullRequest) => findings.unknown),
      countColumn(
        "first_review_minutes",
        "First review",
        ({ first_review_minutes }: ListedPullRequest) => first_review_minutes,
      ),
      countColumn("merge_minutes", "Merge", ({ merge_minutes }: ListedPullRequest) => merge_minutes),
    ],
    rows: pullRequests,
  };
  return (
    <div ref={heading} tabIndex={-1} class="listed">
      <Card
        title={title}
        definition={sentenceOf(listed)}
        help={definitions.acceptance}
        numbers={numbers}
        isTable
        class="table"
      >
        {count > 0 && (
          <Table label={title} heads={pullRequestHeads}>
            {pullRequests.map((each) => (
              <PullRequestLine key={each.url} {...each} />
            ))}
          </Table>
        )}
        <button type="button" class="quiet" onClick={() => onView({ ...view, listed: null })}>
          Close the list
        </button>
      </Card>
    </div>
  );
}

function sentenceOf({ list, definition, count, pullRequests }: ListedPullRequests): string {
  if (count === 0) return "There are none in this period.";
  const shown = pullRequests.length;
  const where = list === null ? "" : ` npx review-api report --list ${list} has all.`;
  return count > shown
    ? `${definition} The first ${formatCount(shown)} of ${formatCount(count)} in this period.${where}`
    : `${definition} All ${formatCount(count)} of this period.`;
}

const pullRequestHeads = [
  ...["Pull request", "Merged"],
  ...numberHeads("Complexity", "Findings", "Not accepted", "Acceptance", "First review", "Merge"),
];

const PullRequestLine = (listed: ListedPullRequest) => (
  <tr>
    <th scope="row">
      <ExternalLink to={listed.url}>{shortAddress(listed.url)}</ExternalLink>
    </th>
    <td>{longInstant(listed.merged_at)}</td>
    <td class="number">{listed.complexity ?? "–"}</td>
    <td class="number">{formatCount(listed.findings.posted)}</td>
    <td class="number">{formatCount(listed.findings.not_accepted)}</td>
    <td class="number">{formatShare(listed.findings.acceptance)}</td>
    <td class="number">{formatMinutes(listed.first_review_minutes)}</td>
    <td class="number">{formatMinutes(listed.merge_minutes)}</td>
  </tr>
);

/** The path identifies the pull request; a text that is not a URL is shown unchanged. */
const shortAddress = (address: string): string => {
  const link = safeAddress(address);
  return link === null ? address : new URL(link).pathname.slice(1) || link;
};
