import { Complexity } from "../parts/complexity.tsx";
import { HeatMap } from "../parts/heat-map.tsx";
import { LearningSearch } from "../parts/learning-search.tsx";
import { Learnings, PendingLearnings } from "../parts/learnings.tsx";
import { Mcp } from "../parts/mcp.tsx";
import { Section } from "../parts/section.tsx";
import type { PageProps } from "./page.ts";
import { Reviews } from "./reviews.tsx";

const Skeleton = () => (
  <div class="row wide-narrow">
    <div class="card trend" />
    <div class="card trend" />
  </div>
);

export const Quality = (props: PageProps) => {
  const { session, onRetry, onSearch, onDecide } = props;
  const { sections } = session;
  return (
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
        <Section title="Learnings by use" of={sections.learnings} onRetry={() => onRetry("learnings")}>
          {(figures) => <Learnings figures={figures} />}
        </Section>
        <Section title="MCP use" of={sections.mcp} onRetry={() => onRetry("mcp")}>
          {(figures) => <Mcp figures={figures} />}
        </Section>
      </div>
      {sections.learnings.state.status !== "left-out" && (
        <LearningSearch search={session.search} onSearch={onSearch} />
      )}
      <Section
        title="Learnings that wait for approval"
        of={sections.pending}
        onRetry={() => onRetry("pending")}
      >
        {(pending) => <PendingLearnings pending={pending} problems={session.undecided} onDecide={onDecide} />}
      </Section>
    </>
  );
};
