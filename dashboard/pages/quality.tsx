import { HeatMap } from "../parts/heat-map.tsx";
import { LearningSearch } from "../parts/learning-search.tsx";
import { Learnings, PendingLearnings } from "../parts/learnings.tsx";
import { Mcp } from "../parts/mcp.tsx";
import { Section } from "../parts/section.tsx";
import { Complexity } from "../parts/trends.tsx";
import type { PageProps } from "./page.ts";
import { Reviews } from "./reviews.tsx";

const Skeleton = () => (
  <div class="row wide-narrow">
    <div class="card trend" />
    <div class="card trend" />
  </div>
);

export const Quality = (props: PageProps) => (
  <>
    <Reviews {...props} skeleton={<Skeleton />}>
      {(figures) => (
        <div class="row wide-narrow">
          <HeatMap figures={figures} />
          <Complexity figures={figures} />
        </div>
      )}
    </Reviews>
    <div class="row wide-narrow">
      <Section name="learnings" {...props}>
        {(figures) => <Learnings figures={figures} />}
      </Section>
      <Section name="mcp" {...props}>
        {(figures) => <Mcp figures={figures} />}
      </Section>
    </div>
    <LearningSearch {...props} />
    <Section name="pending" {...props}>
      {(pending) => <PendingLearnings {...props} pending={pending} />}
    </Section>
  </>
);
