import type { ComponentChildren } from "preact";
import type { PageProps } from "../pages/page.ts";
import { sectionTitles } from "../pages.ts";
import type { SectionName, Sections } from "../protocol.ts";

type SectionProps<Name extends SectionName> = Pick<PageProps, "session" | "ask"> & {
  readonly name: Name;
  /** The layout of the content, shown until it is read; otherwise an empty card. */
  readonly skeleton?: ComponentChildren;
  children(data: Sections[Name]): ComponentChildren;
};

/** A part of the page that is read on its own. What the key may not read has no place here: see `LeftOutParts`. */
export function Section<Name extends SectionName>(props: SectionProps<Name>) {
  const { name, session, ask, skeleton, children } = props;
  const { state, shown } = session.sections[name];
  const title = sectionTitles[name];
  if (shown !== null)
    return (
      <div class="section" aria-busy={state.status === "loading"}>
        {children(shown)}
      </div>
    );
  if (state.status === "left-out") return null;
  if (state.status !== "failed")
    return skeleton ? (
      <div aria-busy="true">{skeleton}</div>
    ) : (
      <section class="card placeholder" aria-busy="true">
        <h3>{title}</h3>
        <p class="definition">
          {state.status === "loading" && state.records > 0
            ? `${state.records.toLocaleString("en-US")} read …`
            : "Reading …"}
        </p>
      </section>
    );
  return (
    <section class="card failed">
      <h3>{title}</h3>
      <p>
        This could not be read. <span class="definition">{state.sentence}</span>
      </p>
      <button type="button" onClick={() => ask({ type: "retry", name })}>
        Try again
      </button>
    </section>
  );
}
