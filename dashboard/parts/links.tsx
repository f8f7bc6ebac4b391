import { useRef, useState } from "preact/hooks";
import { systemClock } from "../../lib/runtime/clock.ts";
import { longDay } from "../days.ts";
import { type DashboardView, resolvePeriod } from "../view.ts";
import { useOutside } from "./use-outside.ts";
import { viewAddress } from "./view-link.tsx";

/** The address of this view: one that moves on with the days, and one that stays on these days. */
export function Links({ view }: { readonly view: DashboardView }) {
  const frame = useRef<HTMLDetailsElement>(null);
  // Hidden buttons would begin transitions that never end.
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    if (frame.current) frame.current.open = false;
  };
  useOutside(frame, close);
  const { period } = view;
  const fixed = resolvePeriod(period, systemClock.nowMs());
  return (
    <details
      class="picker links"
      ref={frame}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !frame.current?.open) return;
        close();
        frame.current.querySelector("summary")?.focus();
      }}
    >
      <summary>Link</summary>
      {isOpen && (
        <ul>
          {"days" in period && <Link name={`Always the last ${period.days} days`} view={view} />}
          <Link
            name={`Always ${longDay(fixed.start_date)} to ${longDay(fixed.end_date)}`}
            view={{ ...view, period: fixed }}
          />
        </ul>
      )}
    </details>
  );
}

function Link({ name, view }: { readonly name: string; readonly view: DashboardView }) {
  const [isCopied, setCopied] = useState(false);
  const address = viewAddress(view);
  return (
    <li>
      <a href={address}>{name}</a>
      <button
        type="button"
        class="quiet"
        aria-label={`Copy the link: ${name}`}
        onClick={async () => {
          await navigator.clipboard.writeText(new URL(address, location.href).href);
          setCopied(true);
        }}
      >
        {isCopied ? "Copied" : "Copy"}
      </button>
    </li>
  );
}
