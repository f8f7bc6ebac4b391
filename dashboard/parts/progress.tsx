import type { Period } from "../../lib/report/period.ts";
import { longDays } from "../../lib/report/words.ts";
import type { SectionState } from "../protocol.ts";
import type { PageSession } from "../session.ts";

type ProgressProps = { readonly session: PageSession; readonly period: Period };

/** The days of the figures, how much has been read, and why nothing arrives at the moment. */
export function Progress({ session, period }: ProgressProps) {
  const { waiting } = session;
  const days = longDays(period);
  const state: SectionState<unknown> = session.sections.reviews.state;
  const isReading = state.status === "loading";
  if (!isReading && waiting === null) return <div class="progress">{days}</div>;
  const count = isReading ? state.records.toLocaleString("en-US") : "";
  const max = isReading ? state.recordsMax : null;
  return (
    <div class="progress busy">
      {days}
      {isReading && (
        <>
          <progress
            aria-label="Reading pull requests"
            {...(max === null ? {} : { max, value: state.records })}
          />
          <span>
            {state.records === 0
              ? "Reading pull requests …"
              : `${count} records of pull requests and findings read …`}
          </span>
        </>
      )}
      {waiting !== null && <span class="waiting">{sentenceOf(waiting)}</span>}
    </div>
  );
}

const sentenceOf = ({ reason, seconds }: NonNullable<PageSession["waiting"]>): string =>
  reason === "half"
    ? `Waits ${seconds} s: this page uses at most half of the rate limit, exports keep the rest.`
    : `Waits ${seconds} s, as the service asks.`;
