import type { KeyIdentity } from "./protocol.ts";

export type Organization = KeyIdentity["scope"]["organizations"][number];

/** Why the API does not read this organization; null if it does. */
export const reasonLeftOut = ({ plan, metrics }: Organization, needsMetrics: boolean): string | null => {
  if (plan !== "enterprise") return `on the plan ${plan}; figures need enterprise`;
  if (!needsMetrics) return null;
  if (metrics === "unavailable") return "it sends no metrics";
  return metrics === "preparing" ? "its metrics are being prepared" : null;
};

/** Names the organizations of the key that the figures leave out, and why; null if there are none. */
export function leftOutSentence(organizations: readonly Organization[]): string | null {
  const named = organizations.flatMap((each) => {
    const reason = reasonLeftOut(each, true);
    return reason === null ? [] : [`${each.name} (${reason})`];
  });
  return named.length === 0 ? null : `Not in these figures: ${named.join(", ")}.`;
}
