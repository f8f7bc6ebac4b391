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

export const TeamsAndRepositories = (props: PageProps) => {
  const { session, onRetry } = props;
  return (
    <Reviews {...props} skeleton={<Skeleton />}>
      {(figures) => (
        <>
          <Section title="By team" of={session.sections.teams} onRetry={() => onRetry("teams")}>
            {(teams) => <Teams {...props} figures={teams} weeks={figures.weeks} />}
          </Section>
          <Repositories {...props} figures={figures} weeks={figures.weeks} />
          <Authors {...props} figures={figures} />
        </>
      )}
    </Reviews>
  );
};
