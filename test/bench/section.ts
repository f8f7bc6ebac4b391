/**
 * A section of the benchmark: `test/bench/<name>/section.ts` exports `section`. It runs in a process of its own,
 * so it may set the environment and need not clean up modules, but it stops the engines it starts.
 */
export type SectionModule = {
  readonly title: string;
  /** What the engine must be able to do; on an engine that cannot, the section is not measured. */
  readonly needs?: "vectorIndex";
  run(options: RunOptions): Promise<Section>;
};

export type RunOptions = {
  /** Tiny sizes: does it work, not what it says. */
  readonly quick: boolean;
  /** Progress for whoever watches; it goes to stderr and into no document. */
  readonly say: (line: string) => void;
};

/** Ratios and counts come first; absolute times stand only beside them. All of it is kept as JSON. */
export type Section = {
  /** Paragraphs of Markdown. */
  readonly prose: readonly string[];
  readonly targets: readonly Target[];
  readonly tables: readonly BenchTable[];
  readonly pictures: readonly Picture[];
  /** What other sections count on, by name: the cost section reads what was measured before it. */
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
  /** What it shows, for those who cannot see it. */
  readonly alt: string;
  readonly svg: string;
};

/** Rows as objects are easier to write where every row has the same columns. */
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
