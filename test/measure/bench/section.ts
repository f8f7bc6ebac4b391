/** In the order of the page; the cost section uses the figures of those before it. */
export const sectionNames = [
  "round-trips",
  "frame",
  "cold-start",
  "growth",
  "export",
  "ingest",
  "search",
  "cost",
] as const;
export type SectionName = (typeof sectionNames)[number];

/**
 * A section of the benchmark: `test/measure/bench/<name>/section.ts` exports `section`. It runs in its own process, so it may
 * set the environment and need not clean up modules, but it stops the engines that it starts.
 */
export type SectionModule = {
  readonly title: string;
  /** Features that the engine needs; the section is not measured on an engine without them. */
  readonly needs?: "vectorIndex";
  run(options: RunOptions): Promise<Section>;
};

export type RunOptions = {
  /** Tiny sizes: checks that the section works; the figures mean nothing. */
  readonly quick: boolean;
  /** Progress for a person at the terminal; it goes to stderr and into no document. */
  readonly say: (line: string) => void;
};

/** Ratios and counts come first; absolute times are only beside them. All of it is stored as JSON. */
export type Section = {
  /** Paragraphs of Markdown. */
  readonly prose: readonly string[];
  readonly targets: readonly Target[];
  readonly tables: readonly BenchTable[];
  readonly pictures: readonly Picture[];
  /** Figures that other sections use, by name: the cost section reads the earlier measurements. */
  readonly figures?: Readonly<Record<string, number>> | undefined;
};

export type Target = {
  readonly name: string;
  readonly value: Cell;
  /** In words: "at most 3". */
  readonly target: string;
  readonly met: boolean;
};

export type Cell = string | number;

export type BenchTable = {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: ReadonlyArray<readonly Cell[]>;
};

export type Picture = {
  /** The file's name, without `.svg`; unique in the whole document. */
  readonly name: string;
  /** Alternative text of the picture. */
  readonly alt: string;
  readonly svg: string;
};

/** Rows as objects are easier to write if every row has the same columns. */
export function tableOf(title: string, rows: ReadonlyArray<Readonly<Record<string, Cell>>>): BenchTable {
  const columns = Object.keys(rows[0] ?? {});
  return { title, columns, rows: rows.map((row) => columns.map((column) => row[column] ?? "")) };
}

export const atMost = (name: string, value: number, most: number): Target => ({
  name,
  value: rounded(value),
  target: `at most ${most}`,
  met: value <= most,
});

export const atLeast = (name: string, value: number, least: number): Target => ({
  name,
  value: rounded(value),
  target: `at least ${least}`,
  met: value >= least,
});

export const rounded = (value: number, digits = 2): number => Math.round(value * 10 ** digits) / 10 ** digits;
