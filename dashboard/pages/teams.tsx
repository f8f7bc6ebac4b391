import { Authors } from "../parts/people.tsx";
import { Repositories } from "../parts/repositories.tsx";
import { Section } from "../parts/section.tsx";
import { Teams } from "../parts/teams.tsx";
import type { PageProps } from "./page.ts";
import { Reviews } from "./reviews.tsx";

export const TeamsAndRepositories = (props: PageProps) => {
  const { session, onRetry } = props;
  return (
    <Reviews {...props}>
      {(figures) => (
        <>
          <Section title="By team" of={session.sections.teams} onRetry={() => onRetry("teams")}>
            {(teams) => <Teams figures={teams} />}
          </Section>
          <Repositories {...props} figures={figures} />
          <Authors {...props} figures={figures} />
        </>
      )}
    </Reviews>
  );
};
