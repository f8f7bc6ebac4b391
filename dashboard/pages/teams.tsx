import { Authors } from "../parts/authors.tsx";
import { Repositories, Teams } from "../parts/places.tsx";
import { Section } from "../parts/section.tsx";
import type { PageProps } from "./page.ts";
import { Reviews } from "./reviews.tsx";

const Skeleton = () => (
  <>
    <section class="card placeholder">
      <h3>By team</h3>
    </section>
    <section class="card placeholder">
      <h3>By repository</h3>
    </section>
  </>
);

export const TeamsAndRepositories = (props: PageProps) => (
  <Reviews {...props} skeleton={<Skeleton />}>
    {(figures) => (
      <>
        <Section name="teams" {...props}>
          {(teams) => <Teams {...props} figures={teams} weeks={figures.weeks} />}
        </Section>
        <Repositories {...props} rows={figures.repositories} weeks={figures.weeks} />
        <Authors {...props} figures={figures} />
      </>
    )}
  </Reviews>
);
