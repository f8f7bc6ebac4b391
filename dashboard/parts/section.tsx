import type { ComponentChildren } from "preact";
import type { SectionView } from "../session.ts";

type SectionProps<Data> = {
  readonly title: string;
  readonly of: SectionView<Data>;
  /** The layout of the content, shown until it is read; otherwise an empty card. */
  readonly skeleton?: ComponentChildren;
  onRetry(): void;
  children(data: Data): ComponentChildren;
};

/** A part of the page that is read on its own. What the key may not read has no place here: see `LeftOutParts`. */
export function Section<Data>({ title, of, skeleton, onRetry, children }: SectionProps<Data>) {
  const { state, shown } = of;
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
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </section>
  );
}
