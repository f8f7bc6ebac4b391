import type { ComponentChildren } from "preact";
import type { SectionView } from "../session.ts";

type SectionProps<Data> = {
  readonly title: string;
  readonly of: SectionView<Data>;
  /** True if the content has its own titles. */
  readonly hasNoTitle?: boolean;
  onRetry(): void;
  children(data: Data): ComponentChildren;
};

/** A part of the page that is read on its own; if the key may not read it, a sentence is shown instead. */
export function Section<Data>({ title, of, hasNoTitle, onRetry, children }: SectionProps<Data>) {
  const { state, shown } = of;
  if (shown !== null)
    return (
      <div class="section" aria-busy={state.status === "loading"}>
        {children(shown)}
      </div>
    );
  if (state.status === "loading")
    return (
      <section class="card placeholder" aria-busy="true">
        <h3>{title}</h3>
        <p class="definition">
          {state.records > 0 ? `${state.records.toLocaleString("en-US")} read …` : "Reading …"}
        </p>
        {hasNoTitle && <div class="ghost" />}
      </section>
    );
  const isLeftOut = state.status === "left-out";
  const sentence = state.status === "ready" ? "" : state.sentence;
  if (isLeftOut && sentence === "") return null;
  return (
    <section class={`card ${isLeftOut ? "left-out" : "failed"}`}>
      <h3>{title}</h3>
      <p>
        {isLeftOut ? "Left out. " : "This could not be read. "}
        <span class="definition">{sentence}</span>
      </p>
      {!isLeftOut && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </section>
  );
}
