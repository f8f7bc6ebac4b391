import type { ComponentChildren } from "preact";
import { comparedWith } from "../../lib/report/change.ts";
import { type FigureName, headlines, type Headline as ReportHeadline } from "../../lib/report/columns.ts";
import type { ListName } from "../../lib/report/lists.ts";
import { seriesOf } from "../../lib/report/plot-series.ts";
import type { ReportRow } from "../../lib/report/report.ts";
import { definitions, formatCount, rowName } from "../../lib/report/words.ts";
import type { PageProps } from "../pages/page.ts";
import type { ReviewFigures } from "../protocol.ts";
import type { SectionViews } from "../session.ts";
import { figureColumnsOf, textColumn } from "../tables.ts";
import { Card, Help } from "./numbers.tsx";
import { Sparkline } from "./plot.tsx";
import { ViewLink } from "./view-link.tsx";

type HeadlinesProps = Omit<PageProps, "ask"> & { readonly figures: ReviewFigures };

export function Headlines({ figures, session, view, onView }: HeadlinesProps) {
  const { total } = figures;
  const { before } = session.sections;
  const [pullRequests, findings, acceptance, firstReview, merge] = headlines({ total, before: before.shown });
  const link = (list: ListName, words: string) => (
    <ViewLink class="list-link" to={{ ...view, listed: list }} onView={onView}>
      {words}
    </ViewLink>
  );
  const { missing } = total.time_to_first_human_review;
  const isRead = before.shown !== null || before.state.status === "failed";
  const shared = { figures, isRead };
  return (
    <>
      <section class="headlines" aria-label="Headlines">
        <Acceptance {...shared} headline={acceptance}>
          {total.findings.not_accepted > 0 && link("unaccepted", "List those not accepted")}
        </Acceptance>
        <Headline {...shared} headline={pullRequests} help={definitions.pullRequests} />
        <Headline
          {...{ ...shared, headline: findings }}
          help="Comments of the automated review on these pull requests."
        />
        <Headline
          {...{ ...shared, headline: firstReview, look: "first-review" }}
          help={definitions.timeToFirstHumanReview}
        >
          {missing > 0 && link("no-review", `List the ${formatCount(missing)} without a human review`)}
        </Headline>
        <Headline {...{ ...shared, headline: merge, look: "merge" }} help={definitions.timeToMerge}>
          {link("slow", "List the slow ones")}
        </Headline>
      </section>
      <Compared before={before} />
    </>
  );
}

/** Which days the changes compare with, or why there are none. */
function Compared({ before: { state, shown } }: Pick<SectionViews, "before">) {
  const isLoading = state.status === "loading";
  const why = isLoading
    ? "Reading the period before, to compare with it …"
    : "The period before could not be read, so nothing is compared.";
  return (
    <p class="definition compared" aria-busy={isLoading}>
      {shown ? comparedWith(shown) : why} {definitions.openPullRequests}
    </p>
  );
}

type HeadlineProps = {
  readonly figures: ReviewFigures;
  readonly headline: ReportHeadline;
  /** Until the period before is read, an empty line keeps the place of the change. */
  readonly isRead: boolean;
  readonly children?: ComponentChildren;
};

const ChangeLine = ({ headline: { change }, isRead }: Pick<HeadlineProps, "headline" | "isRead">) =>
  change ? (
    <p class="change">
      <span aria-hidden="true">{change.arrow}</span> {change.words}
    </p>
  ) : (
    !isRead && <p class="change">&nbsp;</p>
  );

type CountProps = HeadlineProps & { readonly help: string; readonly look?: string };

function Headline({ figures, headline, isRead, help, look = "one", children }: CountProps) {
  // A week in part would look like a decline.
  const weeks = figures.weeks.filter(({ in_part }) => !in_part);
  const series = seriesOf(weeks, headline.of, { look });
  return (
    <section class="card headline">
      <Help title={headline.name} help={help} />
      <div class="figure">
        <strong>{headline.value}</strong>
        {weeks.length > 1 && (
          <div class="weekly">
            <Sparkline {...series} />
            <small>{series.before ? "by week; pale: before" : "by week"}</small>
          </div>
        )}
      </div>
      <ChangeLine {...{ headline, isRead }} />
      <p class="detail">{headline.detail}</p>
      {children}
    </section>
  );
}

const outcomes: readonly FigureName[] = ["findings", "acceptance", "accepted", "not_accepted", "unknown"];
const acceptanceColumns = [
  { ...textColumn("part", "Period", ({ name }: ReportRow) => name), cell: rowName },
  ...figureColumnsOf<ReportRow>(...outcomes),
];

function Acceptance({ figures: { total, weeks }, headline, isRead, children }: HeadlineProps) {
  const { accepted, not_accepted, unknown } = total.findings;
  const whole = { id: null, name: "whole period", in_part: false, organization: null, before: null };
  const rows = [{ ...whole, figures: total }, ...weeks];
  const numbers = { name: "acceptance", caption: "Acceptance", columns: acceptanceColumns, rows };
  return (
    <Card title="Acceptance" help={definitions.acceptance} numbers={numbers} class="acceptance">
      <div class="figure">
        <strong>{headline.value}</strong>
        <p>
          <b>{formatCount(accepted)}</b> accepted of <b>{formatCount(accepted + not_accepted)}</b> findings
          whose outcome is known
        </p>
      </div>
      <ChangeLine {...{ headline, isRead }} />
      <Shares
        shares={[
          ["accepted", "Accepted", accepted],
          ["not-accepted", "Not accepted", not_accepted],
          ["unknown", "Unknown, counted apart", unknown],
        ]}
      />
      {children}
    </Card>
  );
}

type Share = readonly [look: string, name: string, count: number];

/** The parts of a whole: a bar, and their counts. */
export const Shares = ({ shares }: { readonly shares: readonly Share[] }) => (
  <>
    <div class="shares" aria-hidden="true">
      {shares.map(
        ([look, , count]) => count > 0 && <i key={look} class={look} style={{ flexGrow: String(count) }} />,
      )}
    </div>
    <Counts shares={shares} />
  </>
);

export const Counts = ({ shares }: { readonly shares: readonly Share[] }) => (
  <dl class="parts">
    {shares.map(([look, name, count]) => (
      <div key={look}>
        <dt>
          <i class={`swatch ${look}`} /> {name}
        </dt>
        <dd>{formatCount(count)}</dd>
      </div>
    ))}
  </dl>
);
