import type { ComponentChildren } from "preact";
import { Nothing } from "../parts/nothing.tsx";
import { Section } from "../parts/section.tsx";
import type { ReviewFigures } from "../protocol.ts";
import type { PageProps } from "./page.ts";

type ReviewsProps = PageProps & {
  readonly skeleton: ComponentChildren;
  children(figures: ReviewFigures): ComponentChildren;
};

/** The part of a page about reviews, or what to do if there are none. */
export const Reviews = ({ session: { sections }, view, onView, onRetry, ...more }: ReviewsProps) => (
  <Section title="Reviews" of={sections.reviews} onRetry={() => onRetry("reviews")} skeleton={more.skeleton}>
    {(figures) =>
      figures.total.pull_requests === 0 ? (
        <Nothing {...{ figures, view, onView }} teams={sections.teams.state} />
      ) : (
        more.children(figures)
      )
    }
  </Section>
);
