import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { useOutside } from "./use-outside.ts";

type Option = { readonly id: string; readonly name: string; readonly detail?: string };

type PickerProps = {
  readonly name: string;
  readonly options: readonly Option[];
  /** An empty choice means all. */
  readonly chosen: readonly string[];
  onChange(chosen: readonly string[]): void;
  /** What the closed list says instead of the number of chosen options. */
  readonly summary?: string | undefined;
  /** Below the options. */
  readonly children?: ComponentChildren;
};

const searchFrom = 8;
const shownMax = 100;

/** Chooses several options of a list, or all. */
export function Picker({ name, options, chosen, onChange, summary, children }: PickerProps) {
  const place = useRef<HTMLDetailsElement>(null);
  const [search, setSearch] = useState("");
  useOutside(place, () => {
    if (place.current) place.current.open = false;
  });
  const wanted = search.toLowerCase();
  const found = options.filter((option) =>
    `${option.name} ${option.detail ?? ""}`.toLowerCase().includes(wanted),
  );
  const toggle = (id: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, id] : chosen.filter((each) => each !== id));
  const [only] = chosen;
  const shown =
    chosen.length === 0
      ? `All ${name.toLowerCase()}`
      : chosen.length === 1
        ? (options.find(({ id }) => id === only)?.name ?? only)
        : `${chosen.length} ${name.toLowerCase()}`;
  return (
    <details
      class="picker"
      ref={place}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !place.current?.open) return;
        place.current.open = false;
        place.current.querySelector("summary")?.focus();
      }}
    >
      <summary>
        <span class="unseen">{name}: </span>
        {summary ?? shown}
      </summary>
      <fieldset>
        <legend class="unseen">{name}</legend>
        {options.length > searchFrom && (
          <input
            type="search"
            placeholder="Search"
            aria-label={`Search ${name.toLowerCase()}`}
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        )}
        <label class="check">
          <input type="checkbox" checked={chosen.length === 0} onChange={() => onChange([])} />
          All
        </label>
        {found.slice(0, shownMax).map(({ id, name: label, detail }) => (
          <label key={id} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ currentTarget }) => toggle(id, currentTarget.checked)}
            />
            <span>
              {label} {detail !== undefined && <small>{detail}</small>}
            </span>
          </label>
        ))}
        {found.length > shownMax && <small>{found.length - shownMax} more: search for them.</small>}
        {children}
      </fieldset>
    </details>
  );
}
