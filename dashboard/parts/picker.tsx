import { useState } from "preact/hooks";
import { Popup } from "./popup.tsx";

type Option = { readonly id: string; readonly name: string; readonly detail?: string };

type PickerProps = {
  readonly name: string;
  readonly options: readonly Option[];
  /** An empty choice means all. */
  readonly chosen: readonly string[];
  onChange(chosen: readonly string[]): void;
};

const searchFrom = 8;
const shownMax = 100;

/** Chooses several options of a list, or all. */
export const Picker = ({ name, options, chosen, onChange }: PickerProps) => (
  <Popup
    summary={
      <>
        <span class="unseen">{name}: </span>
        {chosenText(name, options, chosen)}
      </>
    }
  >
    <fieldset>
      <legend class="unseen">{name}</legend>
      <Options {...{ name, options, chosen, onChange }} />
    </fieldset>
  </Popup>
);

function chosenText(name: string, options: readonly Option[], chosen: readonly string[]): string {
  const [only = ""] = chosen;
  if (chosen.length === 0) return `All ${name.toLowerCase()}`;
  return chosen.length === 1
    ? (options.find(({ id }) => id === only)?.name ?? only)
    : `${chosen.length} ${name.toLowerCase()}`;
}

function Options({ name, options, chosen, onChange }: PickerProps) {
  const [search, setSearch] = useState("");
  const wanted = search.toLowerCase();
  const found = options.filter((option) =>
    `${option.name} ${option.detail ?? ""}`.toLowerCase().includes(wanted),
  );
  const toggle = (id: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, id] : chosen.filter((each) => each !== id));
  return (
    <>
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
    </>
  );
}
