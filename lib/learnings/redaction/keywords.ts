/** Whether a text holds one of many words: most are ruled out by their groups of three characters, in one walk. */
const groupsCount = 1 << 16;
const groupAt = (text: string, at: number) =>
  ((text.charCodeAt(at) * 1_021) ^ (text.charCodeAt(at + 1) * 131) ^ (text.charCodeAt(at + 2) * 7)) &
  (groupsCount - 1);

/** Below this a plain search is as fast. */
const walkedLengthMin = 2_048;

export function keywordSearch(text: string): (keywords: readonly string[]) => boolean {
  const lowerCase = text.toLowerCase();
  if (lowerCase.length < walkedLengthMin)
    return (keywords) => keywords.some((keyword) => lowerCase.includes(keyword));
  const groups = new Uint8Array(groupsCount);
  for (let at = 0; at + 2 < lowerCase.length; at++) groups[groupAt(lowerCase, at)] = 1;
  const mayHold = (keyword: string) => {
    for (let at = 0; at + 2 < keyword.length; at++) if (groups[groupAt(keyword, at)] === 0) return false;
    return true;
  };
  return (keywords) => keywords.some((keyword) => mayHold(keyword) && lowerCase.includes(keyword));
}
