import type { ComponentChildren } from "preact";

type BarProps = {
  readonly name: ComponentChildren;
  readonly value: ComponentChildren;
  /** Looks, and their shares of the width. */
  readonly parts: ReadonlyArray<readonly [look: string, share: number]>;
};

export const Bar = ({ name, value, parts }: BarProps) => (
  <li>
    <div class="words">
      {name}
      {value}
    </div>
    <div class="track" aria-hidden="true">
      {parts.map(([look, share]) => (
        <i key={look} class={look} style={{ width: `${Math.max(0, share) * 100}%` }} />
      ))}
    </div>
  </li>
);
