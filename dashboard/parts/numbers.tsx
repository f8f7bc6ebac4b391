import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import { csvOf, type Numbers, type ShownColumn } from "../tables.ts";

/** What the names of files say about their data: its days. */
export const FileDays = createContext("");

export function saveFile(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  // Some browsers read the address only after this function returns.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function CsvButton<Row>({ numbers, of }: { readonly numbers: Numbers<Row>; readonly of: string }) {
  const days = useContext(FileDays);
  const name = [numbers.name, days].filter(Boolean).join("-");
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`CSV: ${of}`}
      onClick={() => saveFile(`${name}.csv`, "text/csv;charset=utf-8", csvOf(numbers))}
    >
      CSV
    </button>
  );
}

type ScrollProps = { readonly label: string; readonly children: ComponentChildren };

/** A wide table scrolls on its own, also by keyboard, and says so. */
function Scroll({ label, children }: ScrollProps) {
  const frame = useRef<HTMLElement>(null);
  const [hasMore, setMore] = useState(false);
  useEffect(() => {
    const { current } = frame;
    if (!current) return;
    const look = () => setMore(current.scrollWidth - current.clientWidth - current.scrollLeft > 1);
    const observer = new ResizeObserver(look);
    observer.observe(current);
    current.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      current.removeEventListener("scroll", look);
    };
  }, []);
  return (
    <div class={hasMore ? "scrolls more" : "scrolls"}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section ref={frame} class="scroll" aria-label={`Table: ${label}`} tabIndex={0}>
        {children}
      </section>
      {hasMore && (
        <p class="scroll-hint" aria-hidden="true">
          Scroll sideways for more columns →
        </p>
      )}
    </div>
  );
}

type TableProps<Row> = {
  readonly label: string;
  readonly columns: ReadonlyArray<ShownColumn<Row>>;
  readonly rows: readonly Row[];
  readonly class?: string;
  readonly isBusy?: boolean;
  readonly hasCaption?: boolean;
};

/** The first column names the row. */
export const Table = <Row,>({ label, columns, rows, isBusy, ...props }: TableProps<Row>) => (
  <Scroll label={label}>
    <table class={props.class} aria-busy={isBusy}>
      {props.hasCaption && <caption>{label}</caption>}
      <thead>
        <tr>
          {columns.map(({ head, look }) =>
            typeof head === "string" ? (
              <th key={head} scope="col" class={typeof look === "string" ? look : undefined}>
                {head}
              </th>
            ) : (
              head
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {columns.map(({ cell, look }, column) => {
              const shown = { class: typeof look === "function" ? look(row) : look, children: cell(row) };
              return column === 0 ? (
                <th key={column} scope="row" {...shown} />
              ) : (
                <td key={column} {...shown} />
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

type CardProps<Row> = {
  readonly title: string;
  /** What the card shows, in a line or two. */
  readonly definition?: ComponentChildren;
  /** What its figures mean, shown on request. */
  readonly help?: string | undefined;
  readonly numbers: Numbers<Row>;
  /** True if the content already is a table of the numbers. */
  readonly isTable?: boolean;
  readonly class?: string;
  readonly children: ComponentChildren;
};

/** A chart with its explanation, and its numbers as a table and as a file. */
export function Card<Row>(props: CardProps<Row>) {
  const { title, definition, help, numbers, isTable, class: more, children } = props;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <section class={`card ${more ?? ""}`} aria-labelledby={`${id}-title`}>
      <Help title={title} id={`${id}-title`} help={help}>
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
      </Help>
      {children}
      {definition !== undefined && <p class="definition">{definition}</p>}
      <div id={`${id}-numbers`} hidden={!isOpen}>
        {isOpen && <Table label={numbers.caption} hasCaption {...numbers} />}
      </div>
    </section>
  );
}

type TableCardProps<Row> = Omit<CardProps<Row>, "isTable" | "class" | "children"> & {
  /** Its columns, if they differ from those of the file. */
  readonly shown?: ReadonlyArray<ShownColumn<Row>>;
  readonly children?: ComponentChildren;
};

/** A card that is a table. */
export const TableCard = <Row,>({ shown, children, ...props }: TableCardProps<Row>) => {
  const { caption, columns, rows } = props.numbers;
  return (
    <Card {...props} isTable class="table">
      {rows.length === 0 ? (
        <p class="empty">There are none.</p>
      ) : (
        <Table label={caption} columns={shown ?? columns} rows={rows} hasCaption />
      )}
      {children}
    </Card>
  );
};

type HelpProps = {
  readonly title: string;
  readonly id?: string;
  readonly help: string | undefined;
  readonly children?: ComponentChildren;
};

/** A card's head: its title, its tools, and a “?” that explains it. */
export function Help({ title, id, help, children }: HelpProps) {
  const [isOpen, setOpen] = useState(false);
  const textId = useId();
  return (
    <>
      <header>
        <h3 id={id}>{title}</h3>
        <div class="tools">
          {help !== undefined && (
            <button
              type="button"
              class="quiet help"
              aria-expanded={isOpen}
              aria-controls={textId}
              aria-label={`What does it mean: ${title}`}
              onClick={() => setOpen(!isOpen)}
            >
              ?
            </button>
          )}
          {children}
        </div>
      </header>
      {help !== undefined && (
        <p id={textId} class="definition meaning" hidden={!isOpen}>
          {help}
        </p>
      )}
    </>
  );
}
