import type { ComponentChildren } from "preact";
import { comparedWith } from "../../lib/report/change.ts";
import { headlines, type Headline as ReportHeadline } from "../../lib/report/columns.ts";
import type { Figures } from "../../lib/report/figures.ts";
import type { ListName } from "../../lib/report/lists.ts";
import { seriesOf } from "../../lib/report/plot-series.ts";
import type { FiguresBefore } from "../../lib/report/report.ts";
import { definitions, formatCount } from "../../lib/report/words.ts";
import type { ReviewFigures } from "../protocol.ts";
import type { SectionView } from "../session.ts";
import { figureColumnsOf, textColumn } from "../tables.ts";
import type { DashboardView } from "../view.ts";
import { Card, Help } from "./numbers.tsx";
import { Sparkline } from "./plot.tsx";
import { ViewLink } from "./view-link.tsx";

type HeadlinesProps = {
  readonly figures: ReviewFigures;
  readonly before: SectionView<FiguresBefore>;
  readonly view: DashboardView;
  onView(view: DashboardView): void;
};

export function Headlines({ figures, before, view, onView }: HeadlinesProps) {
  const { total, weeks } = figures;
  const [pullRequests, findings, acceptance, firstReview, merge] = headlines({ total, before: before.shown });
  const weekly = (look: string, value: (week: Figures) => number | null): Weekly => {
    // A week in part would look like a decline.
    const { values, before: earlier = null } = seriesOf(weeks.filter(({ in_part }) => !in_part))(
      "",
      "line",
      look,
      value,
    );
    return { look, values, before: earlier };
  };
  const link = (list: ListName, words: string) => (
    <ViewLink class="list-link" to={{ ...view, listed: list }} onView={onView}>
      {words}
    </ViewLink>
  );
  const { missing } = total.time_to_first_human_review;
  const isRead = before.shown !== null || before.state.status === "failed";
  return (
    <>
      <section class="headlines" aria-label="Headlines">
        <Acceptance figures={figures} headline={acceptance} isRead={isRead}>
          {total.findings.not_accepted > 0 && link("unaccepted", "List those not accepted")}
        </Acceptance>
        <Headline
          {...{ headline: pullRequests, isRead }}
          help={definitions.pullRequests}
          weeks={weekly("one", ({ pull_requests }) => pull_requests)}
        />
        <Headline
          {...{ headline: findings, isRead }}
          help="Comments of the automated review on these pull requests."
          weeks={weekly("one", ({ findings: each }) => each.posted)}
        />
        <Headline
          {...{ headline: firstReview, isRead }}
          help={definitions.timeToFirstHumanReview}
          weeks={weekly("first-review", ({ time_to_first_human_review: time }) => time.median_minutes)}
        >
          {missing > 0 && link("no-review", `List the ${formatCount(missing)} without a human review`)}
        </Headline>
        <Headline
          {...{ headline: merge, isRead }}
          help={definitions.timeToMerge}
          weeks={weekly("merge", ({ time_to_merge }) => time_to_merge.median_minutes)}
        >
          {link("slow", "List the slow ones")}
        </Headline>
      </section>
      <Compared before={before} />
    </>
  );
}

/** Which days the changes compare with, or why there are none. */
function Compared({ before: { state, shown } }: Pick<HeadlinesProps, "before">) {
  const sentence =
    shown !== null
      ? comparedWith(shown)
      : state.status === "loading"
        ? "Reading the period before, to compare with it …"
        : "The period before could not be read, so nothing is compared.";
  return (
    <p class="definition compared" aria-busy={state.status === "loading"}>
      {sentence} {definitions.openPullRequests}
    </p>
  );
}

type ChangeLineProps = Pick<ReportHeadline, "change"> & {
  /** Until the period before is read, an empty line keeps the place. */
  readonly isRead: boolean;
};

const ChangeLine = ({ change, isRead }: ChangeLineProps) =>
  change ? (
    <p class="change">
      <span aria-hidden="true">{change.arrow}</span> {change.words}
    </p>
  ) : (
    !isRead && <p class="change">&nbsp;</p>
  );

/** The values of whole weeks, and of the same weeks of the period before. */
type Weekly = {
  readonly look: string;
  readonly values: ReadonlyArray<number | null>;
  readonly before: ReadonlyArray<number | null> | null;
};

type HeadlineProps = {
  readonly headline: ReportHeadline;
  readonly isRead: boolean;
  readonly help: string;
  readonly weeks: Weekly;
  readonly children?: ComponentChildren;
};

const Headline = ({ headline, isRead, help, weeks, children }: HeadlineProps) => (
  <section class="card headline">
    <Help title={headline.name} help={help} />
    <div class="figure">
      <strong>{headline.value}</strong>
      {weeks.values.length > 1 && (
        <div class="weekly">
          <Sparkline {...weeks} />
          <small>{weeks.before ? "by week; pale: before" : "by week"}</small>
        </div>
      )}
    </div>
    <ChangeLine change={headline.change} isRead={isRead} />
    <p class="detail">{headline.detail}</p>
    {children}
  </section>
);

type AcceptanceProps = Pick<HeadlinesProps, "figures"> & {
  readonly headline: ReportHeadline;
  readonly isRead: boolean;
  readonly children: ComponentChildren;
};

function Acceptance({ figures: { total, weeks }, headline, isRead, children }: AcceptanceProps) {
  const { findings } = total;
  const known = findings.accepted + findings.not_accepted;
  const numbers = {
    name: "acceptance",
    caption: "Acceptance",
    columns: [
      textColumn("part", "Period", (row: { name: string }) => row.name),
      ...figureColumnsOf<{ name: string; figures: typeof total }>(
        "findings",
        "acceptance",
        "accepted",
        "not_accepted",
        "unknown",
      ),
    ],
    rows: [{ name: "whole period", figures: total }, ...weeks],
  };
  return (
    <Card title="Acceptance" help={definitions.acceptance} numbers={numbers} class="acceptance">
      <div class="figure">
        <strong>{headline.value}</strong>
        <p>
          <b>{formatCount(findings.accepted)}</b> accepted of <b>{formatCount(known)}</b> findings whose
          outcome is known
        </p>
      </div>
      <ChangeLine change={headline.change} isRead={isRead} />
      <div class="shares" aria-hidden="true">
        <Share look="accepted" count={findings.accepted} />
        <Share look="not-accepted" count={findings.not_accepted} />
        <Share look="unknown" count={findings.unknown} />
      </div>
      <dl class="parts">
        <LegendEntry look="accepted" name="Accepted" count={findings.accepted} />
        <LegendEntry look="not-accepted" name="Not accepted" count={findings.not_accepted} />
        <LegendEntry look="unknown" name="Unknown, counted apart" count={findings.unknown} />
      </dl>
      {children}
    </Card>
  );
}

const Share = ({ look, count }: { readonly look: string; readonly count: number }) =>
  count > 0 ? <i class={look} style={{ flexGrow: String(count) }} /> : null;

type PartProps = { readonly look: string; readonly name: ComponentChildren; readonly count: number };
export const LegendEntry = ({ look, name, count }: PartProps) => (
  <div>
    <dt>
      <i class={`swatch ${look}`} /> {name}
    </dt>
    <dd>{formatCount(count)}</dd>
  </div>
);
