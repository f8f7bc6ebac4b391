import type { ResponseOf } from "../client/client.ts";

export type Organization = ResponseOf<"whoami">["scope"]["organizations"][number];

/** Why the API does not read this organization; null if it does. */
export const reasonLeftOut = (
  { plan, metrics }: Pick<Organization, "plan" | "metrics">,
  needsMetrics: boolean,
): string | null => {
  if (plan !== "enterprise") return `on the plan ${plan}; figures need enterprise`;
  if (!needsMetrics) return null;
  if (metrics === "unavailable") return "it sends no metrics";
  return metrics === "preparing" ? "its metrics are being prepared" : null;
};

/** The organization or the workspace of a key, as a title names it. */
export function placeOf(scope: ResponseOf<"whoami">["scope"]): string {
  const [only] = scope.organizations;
  return scope.tenant === "organization"
    ? (only?.name ?? scope.tenant_id)
    : `${scope.tenant} ${scope.tenant_id}`;
}

/** The organizations that the filters of a report name, by id or `provider:id`; all without a filter. */
export function chosenOf(
  organizations: readonly Organization[],
  { org_id, organization_ids }: { readonly org_id?: string; readonly organization_ids?: string },
): readonly Organization[] {
  const chosen = (org_id ?? organization_ids)?.split(",");
  return organizations.filter(
    ({ provider, provider_organization_id: id }) =>
      !chosen || chosen.includes(id) || chosen.includes(`${provider}:${id}`),
  );
}

/** Names the organizations of the key that the figures leave out, and why; null if there are none. */
export function leftOutNote(
  organizations: readonly Organization[],
  quote = (name: string) => name,
): ReportNote | null {
  const names = organizations.flatMap((each) => {
    const reason = reasonLeftOut(each, true);
    return reason === null ? [] : [`${quote(each.name)} (${reason})`];
  });
  return names.length === 0 ? null : { text: "Not in these figures", names };
}

export function leftOutSentence(
  organizations: readonly Organization[],
  quote?: (name: string) => string,
): string | null {
  const note = leftOutNote(organizations, quote);
  return note && noteText(note);
}

/** What a report leaves out or is limited to. Names come from outside: each format quotes them. */
export type ReportNote = { readonly text: string; readonly names: readonly string[] };

const namesMax = 10;

export function noteText(
  { text, names }: ReportNote,
  { quote = (name: string) => name, max = namesMax } = {},
): string {
  if (names.length === 0) return `${text}.`;
  const more = names.length > max ? ` and ${names.length - max} more` : "";
  return `${text}: ${names.slice(0, max).map(quote).join(", ")}${more}.`;
}
