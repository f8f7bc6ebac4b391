/**
 * The forms of keys: our own (the expression in docs/use/keys.md, and that of legacy keys) and those of common vendors,
 * known by their prefix. Every request may need them, so this list is short; the texts of Learnings are searched by
 * lib/redaction.
 */
const keyForms =
  /rk_(?:organization|user|workspace|instance|agentic)_[a-z2-7]{47,}|cr-[0-9a-f]{40}|(?<![A-Za-z0-9])(?:gh[opsru]_|github_pat_|gl[a-z]{2,5}-|[sr]k[-_]|xox[a-z]-|xapp-|npm_|dckr_pat_|hvs\.|SG\.|ya29\.|dapi|glsa_|pypi-|hf_|dop_v1_|shp[a-z]{2}_|ATATT|AIza|AKIA|ASIA|eyJ)[\w.-]{16,}/g;

export const holdsKey = (text: string): boolean => text.search(keyForms) !== -1;

/** For ids and names that a caller chose: a key in the wrong place must not be sent back, stored or logged. */
export const withoutKeys = (text: string): string => text.replace(keyForms, "[REDACTED]");
