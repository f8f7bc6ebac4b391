const verbs = [
  "Validate",
  "Retry",
  "Cache",
  "Log",
  "Page",
  "Encrypt",
  "Batch",
  "Mock",
  "Name",
  "Close",
  "Limit",
];
const things = [
  "payment webhooks",
  "database migrations",
  "feature flags",
  "search results",
  "upload handlers",
  "session tokens",
  "React components",
  "SQL queries",
  "queue consumers",
  "cron schedules",
  "API clients",
  "access policies",
  "CSV exports",
];
const places = [
  "in the billing service",
  "before they reach production",
  "behind the public gateway",
  "in background workers",
  "on the settings page",
  "in the mobile app",
  "around the ledger",
];
const ways = [
  "with an idempotency key",
  "through the shared helper",
  "with bounded exponential backoff",
  "inside one transaction",
  "by an opaque cursor",
  "with the structured logger",
  "against the published schema",
  "with a typed error code",
  "without blocking the event loop",
];
const reasons = [
  "because a customer was charged twice",
  "since concurrent inserts repeat rows",
  "so that tests can move the clock",
  "as auditors ask for the trail",
  "because the previous release still serves traffic",
  "or the alarm wakes somebody at night",
  "to keep the cold start short",
  "since spreadsheets take it for a formula",
];

/** A sentence for each number, in the style of people: every list advances at its own pace, and the subject is new. */
export function learningOf(number: number): string {
  const pick = (list: readonly string[], stride: number) =>
    list[Math.floor(number / stride + number * 0.618) % list.length];
  const subject = `${pick(things, 11)} of ${nameOf(number)}`;
  return `${pick(verbs, 1)} ${subject} ${pick(places, 143)} ${pick(ways, 7)}, ${pick(reasons, 1001)}.`;
}

/** The text of a change: words of several Learnings, none of them complete. */
export const changeOf = (number: number): string =>
  `+ ${learningOf(number * 7_919 + 3).slice(0, 60)}\n- ${learningOf(number * 104_729 + 11).slice(20, 110)}`;

const syllables = [
  "ba",
  "ce",
  "di",
  "fo",
  "gu",
  "ha",
  "je",
  "ki",
  "lo",
  "mu",
  "na",
  "pe",
  "ri",
  "so",
  "tu",
  "ve",
];

/** A made-up name, so that rare words distinguish Learnings as in real code. */
function nameOf(number: number): string {
  const mixed = Math.imul(number + 1, 0x9e3779b1) >>> 0;
  return [0, 4, 8, 12].map((shift) => syllables[(mixed >>> shift) & 15]).join("");
}
