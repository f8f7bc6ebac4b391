import { rowLook, trendRows } from "../../lib/report/trends.ts";
import { Headlines } from "../parts/headlines.tsx";
import { Trends } from "../parts/trends.tsx";
import type { PageProps } from "./page.ts";
import { Reviews } from "./reviews.tsx";

/** Empty cards where the figures will be: nothing moves when they come. */
const Skeleton = () => (
  <>
    <section class="headlines" aria-label="Headlines">
      <div class="card acceptance" />
      {[1, 2, 3, 4].map((card) => (
        <div key={card} class="card headline" />
      ))}
    </section>
    <p class="definition compared">&nbsp;</p>
    <section aria-label="By week">
      <h2>By week</h2>
      {trendRows.map((trends) => (
        <div key={trends.length} class={rowLook(trends)}>
          {trends.map(({ file }) => (
            <div key={file} class="card trend" />
          ))}
        </div>
      ))}
    </section>
  </>
);

export const Overview = (props: PageProps) => (
  <Reviews {...props} skeleton={<Skeleton />}>
    {(figures) => (
      <>
        <Headlines {...props} figures={figures} />
        <Trends figures={figures} />
      </>
    )}
  </Reviews>
);
