import { useEffect } from "preact/hooks";

/** Calls back when a person points at something outside of the element. */
export function useOutside(element: { readonly current: Element | null }, onOutside: () => void): void {
  useEffect(() => {
    const look = ({ target }: Event) => {
      if (element.current && target instanceof Node && !element.current.contains(target)) onOutside();
    };
    addEventListener("pointerdown", look);
    return () => removeEventListener("pointerdown", look);
  });
}
