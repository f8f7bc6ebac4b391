import { Headlines } from "../parts/headlines.tsx";
import { Trends } from "../parts/trends.tsx";
import type { PageProps } from "./page.ts";
import { Reviews } from "./reviews.tsx";

export const Overview = (props: PageProps) => (
  <Reviews {...props}>
    {(figures) => (
      <>
        <Headlines {...props} figures={figures} before={props.session.sections.before} />
        <Trends figures={figures} />
      </>
    )}
  </Reviews>
);
