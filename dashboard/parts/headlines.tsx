import type { ComponentChildren } from "preact";
import type { DurationFigures } from "../../lib/report/figures.ts";
import { definitions, formatCount, formatMean, formatMinutes, formatShare } from "../../lib/report/words.ts";
import type { ReviewFigures } from "../protocol.ts";
import { figureColumnsOf, textColumn } from "../tables.ts";
import { Card } from "./numbers.tsx";
import { Sparkline } from "./plot.tsx";

export function Headlines({ figures }: { readonly figures: ReviewFigures }) {
  const { total, weeks } = figures;
  const weekly = (value: (week: (typeof weeks)[number]["figures"]) => number | null) =>
    weeks.filter(({ in_part }) => !in_part).map((week) => value(week.figures));
  return (
    <section class="headlines" aria-label="Headlines">
      <Acceptance figures={figures} />
      <Headline
        name="Pull requests reviewed"
        value={formatCount(total.pull_requests)}
        definition={definitions.pullRequests}
        weeks={weekly(({ pull_requests }) => pull_requests)}
      />
      <Headline
        name="Findings posted"
        value={formatCount(total.findings.posted)}
        detail={`${formatMean(total.findings_per_pull_request)} a pull request`}
        definition="Comments of the automated review on these pull requests."
        weeks={weekly(({ findings }) => findings.posted)}
      />
      <Headline
        name="Time to first human review"
        value={formatMinutes(total.time_to_first_human_review.median_minutes)}
        detail={durationDetail(total.time_to_first_human_review)}
        definition={definitions.timeToFirstHumanReview}
        weeks={weekly(({ time_to_first_human_review: time }) => time.median_minutes)}
      />
      <Headline
        name="Time to merge"
        value={formatMinutes(total.time_to_merge.median_minutes)}
        detail={durationDetail(total.time_to_merge)}
        definition={definitions.timeToMerge}
        weeks={weekly(({ time_to_merge }) => time_to_merge.median_minutes)}
      />
    </section>
  );
}

const durationDetail = ({ p90_minutes, missing }: DurationFigures): string =>
  `median; 90 % within ${formatMinutes(p90_minutes)}${missing > 0 ? `; ${formatCount(missing)} without one` : ""}`;

type HeadlineProps = {
  readonly name: string;
  readonly value: string;
  readonly detail?: string;
  readonly definition: string;
  readonly weeks: ReadonlyArray<number | null>;
};

const Headline = ({ name, value, detail, definition, weeks }: HeadlineProps) => (
  <section class="card headline">
    <h3>{name}</h3>
    <div class="figure">
      <strong>{value}</strong>
      <Sparkline values={weeks} />
    </div>
    <p class="detail">{detail}</p>
    <p class="definition">{definition}</p>
  </section>
);

function Acceptance({ figures: { total, weeks } }: { readonly figures: ReviewFigures }) {
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
    <Card title="Acceptance" definition={definitions.acceptance} numbers={numbers} class="acceptance">
      <div class="figure">
        <strong>{formatShare(findings.acceptance)}</strong>
        <p>
          <b>{formatCount(findings.accepted)}</b> accepted of <b>{formatCount(known)}</b> findings whose
          outcome is known
        </p>
      </div>
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
