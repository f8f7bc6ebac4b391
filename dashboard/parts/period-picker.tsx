import { useRef, useState } from "preact/hooks";
import { lastMonth, lastWeek, type Period, utcDay } from "../../lib/report/period.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { type DashboardView, periodDays, resolvePeriod } from "../view.ts";
import { useOutside } from "./use-outside.ts";

type PeriodPickerProps = { readonly view: DashboardView; onView(view: DashboardView): void };

export function PeriodPicker({ view, onView }: PeriodPickerProps) {
  const { period } = view;
  const isOwn = !("days" in period);
  const [isOpen, setOpen] = useState(false);
  const frame = useRef<HTMLFieldSetElement>(null);
  useOutside(frame, () => setOpen(false));
  const shown = resolvePeriod(period, systemClock.nowMs());
  return (
    <fieldset class="period" ref={frame}>
      <legend class="unseen">Period</legend>
      <div class="segments">
        {periodDays.map((days) => (
          <label key={days}>
            <input
              type="radio"
              name="period"
              checked={!isOpen && "days" in period && period.days === days}
              onChange={() => {
                setOpen(false);
                onView({ ...view, period: { days } });
              }}
            />
            <span>{days} days</span>
          </label>
        ))}
        <label>
          <input type="radio" name="period" checked={isOpen || isOwn} onClick={() => setOpen(true)} />
          <span>Own range</span>
        </label>
      </div>
      {isOpen && (
        <OwnRange
          shown={shown}
          onPeriod={(chosen) => {
            setOpen(false);
            onView({ ...view, period: chosen });
          }}
        />
      )}
    </fieldset>
  );
}

type OwnRangeProps = { readonly shown: Period; onPeriod(period: Period): void };

function OwnRange({ shown, onPeriod }: OwnRangeProps) {
  const [start, setStart] = useState(shown.start_date);
  const [end, setEnd] = useState(shown.end_date);
  const problem =
    start === "" || end === "" ? "Choose two days." : end < start ? "The last day is before the first." : "";
  const today = utcDay(systemClock.nowMs());
  return (
    <div class="own">
      <button type="button" onClick={() => onPeriod(lastWeek(today))}>
        Last week
      </button>
      <button type="button" onClick={() => onPeriod(lastMonth(today))}>
        Last month
      </button>
      <label>
        From{" "}
        <input type="date" value={start} onInput={({ currentTarget }) => setStart(currentTarget.value)} />
      </label>
      <label>
        to <input type="date" value={end} onInput={({ currentTarget }) => setEnd(currentTarget.value)} />
      </label>
      <button
        type="button"
        class="primary"
        disabled={problem !== ""}
        onClick={() => onPeriod({ start_date: start, end_date: end })}
      >
        Show
      </button>
      <span class="problem" role="alert">
        {problem}
      </span>
    </div>
  );
}
