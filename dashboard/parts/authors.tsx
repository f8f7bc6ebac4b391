import type { ReportRow } from "../../lib/report/report.ts";
import { definitions } from "../../lib/report/words.ts";
import type { PageProps } from "../pages/page.ts";
import type { ReviewFigures } from "../protocol.ts";
import { figureColumnsOf, textColumn } from "../tables.ts";
import { TableCard } from "./numbers.tsx";

type Props = Pick<PageProps, "view" | "onView"> & { readonly figures: ReviewFigures };

/** Shown only if the user chose it, and in alphabetical order: this page does not rank people. */
export function Authors({ figures: { authors }, view, onView }: Props) {
  const choose = (byAuthor: boolean) => onView({ ...view, byAuthor });
  if (!view.byAuthor || authors === null)
    return (
      <section class="card offer">
        <h3>By author</h3>
        <p class="definition">
          Not shown unless you choose it. It is in alphabetical order: this page is no ranking of people, and
          an author's figures say more about the code they were given than about them.
        </p>
        <button type="button" onClick={() => choose(true)}>
          Show by author
        </button>
      </section>
    );
  return (
    <TableCard
      title="By author"
      definition="In alphabetical order: this page is no ranking of people."
      help={definitions.acceptance}
      numbers={{ name: "authors", caption: "By author, in alphabetical order", columns, rows: authors }}
    >
      <button type="button" class="quiet" onClick={() => choose(false)}>
        Hide authors
      </button>
    </TableCard>
  );
}

const columns = [
  textColumn("author", "Author", ({ name }: ReportRow) => name),
  ...figureColumnsOf<ReportRow>(),
  textColumn("organization", "Organization", ({ organization }: ReportRow) => organization),
];
