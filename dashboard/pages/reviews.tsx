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
export const Reviews = ({ children, ...props }: ReviewsProps) => (
  <Section name="reviews" {...props}>
    {(figures) =>
      figures.total.pull_requests === 0 ? <Nothing {...props} figures={figures} /> : children(figures)
    }
  </Section>
);
