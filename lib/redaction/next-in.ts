/** Returns where a global pattern next occurs, or the text's end. Call the result with increasing positions. */
export function nextIn(text: string, pattern: RegExp): (at: number) => number {
  let next = -1;
  return (at) => {
    if (next >= at) return next;
    pattern.lastIndex = at;
    next = pattern.exec(text)?.index ?? text.length;
    return next;
  };
}

const nearReach = 160;
/** Whether a pattern occurs near a position. Call the result with increasing positions. */
export type Near = (at: number) => boolean;
export function nearIn(text: string, pattern: RegExp): Near {
  const next = nextIn(text, pattern);
  return (at) => {
    const found = next(Math.max(0, at - nearReach + 1));
    return found < at + nearReach && found < text.length;
  };
}
