import { definitions } from "../../lib/report/words.ts";
import type { TeamFigures } from "../figures/teams.ts";
import { figuresBy } from "../tables.ts";
import { Card, NumberTable } from "./numbers.tsx";

export function Teams({ figures: { known, rows } }: { readonly figures: TeamFigures }) {
  if (known.length === 0)
    return (
      <section class="card offer">
        <h3>By team</h3>
        <p class="definition">The platform has sent no teams of these organizations.</p>
      </section>
    );
  if (rows === null) return null;
  const numbers = figuresBy("team", "Team", rows);
  return (
    <Card
      title="By team"
      definition={definitions.teamRows}
      help={definitions.acceptance}
      numbers={numbers}
      isTable
      class="table"
    >
      <NumberTable numbers={numbers} />
    </Card>
  );
}
