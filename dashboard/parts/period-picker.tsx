import { useRef, useState } from "preact/hooks";
import type { Period } from "../../lib/report/period.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import type { PageProps } from "../pages/page.ts";
import { type ChosenPeriod, periodDays, resolvePeriod, wholeSpans } from "../view.ts";
import { useOutside } from "./use-outside.ts";

const offered: ReadonlyArray<readonly [string, ChosenPeriod]> = [
  ...periodDays.map((days) => [`${days} days`, { days }] as const),
  ...wholeSpans.map((last) => [`Last ${last}`, { last }] as const),
];

export function PeriodPicker({ view, onView }: Pick<PageProps, "view" | "onView">) {
  const { period } = view;
  const [isOpen, setOpen] = useState(false);
  const frame = useRef<HTMLFieldSetElement>(null);
  useOutside(frame, () => setOpen(false));
  const choose = (chosen: ChosenPeriod) => {
    setOpen(false);
    onView({ ...view, period: chosen });
  };
  const isChosen = (each: ChosenPeriod) => JSON.stringify(each) === JSON.stringify(period);
  return (
    <fieldset class="period" ref={frame}>
      <legend class="unseen">Period</legend>
      <div class="segments">
        {offered.map(([name, each]) => (
          <label key={name}>
            <input
              type="radio"
              name="period"
              checked={!isOpen && isChosen(each)}
              onChange={() => choose(each)}
            />
            <span>{name}</span>
          </label>
        ))}
        <label>
          <input
            type="radio"
            name="period"
            checked={isOpen || "start_date" in period}
            onClick={() => setOpen(true)}
          />
          <span>Own range</span>
        </label>
      </div>
      {isOpen && <OwnRange shown={resolvePeriod(period, systemClock.nowMs())} onPeriod={choose} />}
    </fieldset>
  );
}

type OwnRangeProps = { readonly shown: Period; onPeriod(period: Period): void };

function OwnRange({ shown, onPeriod }: OwnRangeProps) {
  const [start, setStart] = useState(shown.start_date);
  const [end, setEnd] = useState(shown.end_date);
  const problem =
    start === "" || end === "" ? "Choose two days." : end < start ? "The last day is before the first." : "";
  return (
    <div class="own">
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
