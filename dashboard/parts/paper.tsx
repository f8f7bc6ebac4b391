import { useEffect, useState } from "preact/hooks";
import { plural } from "../../lib/contract/plural.ts";
import { noteText } from "../../lib/report/left-out.ts";
import { definitions, meanings } from "../../lib/report/words.ts";
import { longDay } from "../days.ts";
import { notesOf, scopeOf } from "../notes.ts";
import type { ReviewFigures } from "../protocol.ts";
import { isSettled } from "../report-file.ts";
import type { PageSession } from "../session.ts";
import { sortedPlaces } from "../sort.ts";
import type { DashboardView } from "../view.ts";
import { Headlines } from "./headlines.tsx";
import { PlaceTable, type PlaceTableProps } from "./place-table.tsx";
import { OnPaper } from "./plot.tsx";
import { Trends } from "./trends.tsx";

type PaperProps = { readonly session: PageSession; readonly view: DashboardView };

/** What is printed from any page, in place of it: two pages with the figures and tables of the period. */
export function Paper({ session, view }: PaperProps) {
  const isPrinting = usePrinting();
  if (!isPrinting) return null;
  const { shown } = session.sections.reviews;
  if (view.page === "administration")
    return <Instead>The administration is not printed: print another page.</Instead>;
  if (!isSettled(session) || !shown)
    return <Instead>The figures were still being read. Print again when they are shown.</Instead>;
  return (
    <OnPaper.Provider value={true}>
      <div class="paper">
        <FirstPage {...{ session, view }} figures={shown} />
        <SecondPage {...{ session, view }} figures={shown} />
      </div>
    </OnPaper.Provider>
  );
}

const Instead = ({ children }: { readonly children: string }) => <p class="paper">{children}</p>;

/** A browser says that it prints before it lays out the paper. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const media = matchMedia("print");
    const look = () => setPrinting(media.matches);
    const begin = () => setPrinting(true);
    const end = () => setPrinting(false);
    media.addEventListener("change", look);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      media.removeEventListener("change", look);
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  return isPrinting;
}

type PageProps = PaperProps & { readonly figures: ReviewFigures };

const nothing = (): void => undefined;

const FirstPage = ({ session, view, figures }: PageProps) => (
  <div>
    <h2>
      Code reviews of {scopeOf(session)?.place}, {longDay(figures.period.start_date)} to{" "}
      {longDay(figures.period.end_date)}
    </h2>
    {notesOf(session, view).map((note) => (
      <p key={note.text}>{noteText(note)}</p>
    ))}
    <Headlines {...{ figures, session, view }} onView={nothing} />
    <Trends figures={figures} />
  </div>
);

const SecondPage = ({ session, view, figures: { repositories, weeks } }: PageProps) => {
  const teams = session.sections.teams.shown?.rows ?? [];
  return (
    <div class="next-page">
      {teams.length > 0 && <FirstRows head="Team" rows={teams} sort={view.teamSort} {...{ view, weeks }} />}
      <FirstRows head="Repository" rows={repositories} sort={view.sort} {...{ view, weeks }} />
      {teams.length > 0 && <p class="definition">{definitions.teamRows}</p>}
      <h2>What the figures mean</h2>
      <dl class="meanings">
        {meanings.map(([name, meaning]) => (
          <>
            <dt>{name}</dt>
            <dd>{meaning}</dd>
          </>
        ))}
      </dl>
    </div>
  );
};

/** Two tables fit on one page. */
const rowsMax = 14;

type FirstRowsProps = Pick<PlaceTableProps, "head" | "rows" | "sort" | "weeks"> & Pick<PaperProps, "view">;

function FirstRows({ head, rows, sort, view, weeks }: FirstRowsProps) {
  const more = rows.length - rowsMax;
  return (
    <section class="card table">
      <h3>By {head.toLowerCase()}</h3>
      <PlaceTable
        {...{ head, sort, weeks, rows: sortedPlaces(rows, sort).slice(0, rowsMax) }}
        onView={nothing}
        sortedBy={() => view}
        listOf={() => view}
      />
      {more > 0 && <p class="definition">And {plural(more, "more row")}: the CSV of the page has all.</p>}
    </section>
  );
}
