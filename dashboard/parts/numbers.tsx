import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { csvOf, type Numbers } from "../tables.ts";

function saveFile(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  // Some browsers read the address only after this function returns.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

const CsvButton = <Row,>({ numbers, of }: { readonly numbers: Numbers<Row>; readonly of: string }) => (
  <button
    type="button"
    class="quiet"
    aria-label={`CSV: ${of}`}
    onClick={() => saveFile(`${numbers.name}.csv`, "text/csv;charset=utf-8", csvOf(numbers))}
  >
    CSV
  </button>
);

/** A wide table scrolls on its own, also by keyboard. */
export const Scroll = ({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <section class="scroll" aria-label={label} tabIndex={0}>
    {children}
  </section>
);

export const NumberTable = <Row,>({ numbers }: { readonly numbers: Numbers<Row> }) => (
  <Scroll label={numbers.caption}>
    <table>
      <caption>{numbers.caption}</caption>
      <thead>
        <tr>
          {numbers.columns.map(({ name, head, isNumber }) => (
            <th key={name} scope="col" class={isNumber ? "number" : undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {numbers.rows.map((row, index) => (
          <tr key={index}>
            {numbers.columns.map(({ name, text, isNumber }, column) =>
              column === 0 ? (
                <th key={name} scope="row">
                  {text(row)}
                </th>
              ) : (
                <td key={name} class={isNumber ? "number" : undefined}>
                  {text(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

type CardProps<Row> = {
  readonly title: string;
  /** An explanation of what the card shows. */
  readonly definition?: ComponentChildren;
  readonly numbers: Numbers<Row>;
  /** True if the content already is a table of the numbers. */
  readonly isTable?: boolean;
  readonly class?: string;
  readonly children: ComponentChildren;
};

/** A chart with its explanation, and its numbers as a table and as a file. */
export function Card<Row>({ title, definition, numbers, isTable, class: more, children }: CardProps<Row>) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <section class={`card ${more ?? ""}`} aria-labelledby={`${id}-title`}>
      <header>
        <h3 id={`${id}-title`}>{title}</h3>
        <div class="tools">
          {!isTable && (
            <button
              type="button"
              class="quiet"
              aria-expanded={isOpen}
              aria-controls={`${id}-numbers`}
              aria-label={`Numbers: ${title}`}
              onClick={() => setOpen(!isOpen)}
            >
              Numbers
            </button>
          )}
          <CsvButton numbers={numbers} of={title} />
        </div>
      </header>
      {children}
      {definition !== undefined && <p class="definition">{definition}</p>}
      <div id={`${id}-numbers`} hidden={!isOpen}>
        {isOpen && <NumberTable numbers={numbers} />}
      </div>
    </section>
  );
}
