import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { useOutside } from "./use-outside.ts";

type PopupProps = {
  readonly class?: string;
  readonly summary: ComponentChildren;
  readonly children: ComponentChildren;
};

/** Opens below its button; Escape, and a press somewhere else, close it. */
export function Popup({ class: look = "", summary, children }: PopupProps) {
  const frame = useRef<HTMLDetailsElement>(null);
  // Hidden buttons would begin transitions that never end.
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    if (frame.current) frame.current.open = false;
  };
  useOutside(frame, close);
  return (
    <details
      class={`picker ${look}`}
      ref={frame}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !frame.current?.open) return;
        close();
        frame.current.querySelector("summary")?.focus();
      }}
    >
      <summary>{summary}</summary>
      {isOpen && children}
    </details>
  );
}
