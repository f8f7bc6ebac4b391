import { asList, asNode, type Node } from "./schema-changes.ts";

/** Restrictions that did not exist before. A document from before a field existed says nothing about it. */
export function policyChanges(old: Node, now: Node): string[] {
  const kindsNow = asList(now["x-key-kinds"]);
  return [
    ...asList(old["x-key-kinds"])
      .filter((kind) => !kindsNow.includes(kind))
      .map((kind) => `keys of kind ${kind} are refused now`),
    ...needChanges(asNode(old["x-needs"]), asNode(now["x-needs"])),
    ...(isStricterPlan(old["x-plan"], now["x-plan"]) ? [`it needs the plan ${now["x-plan"]} now`] : []),
    ...selectorChanges(old["x-org-id"], now["x-org-id"]),
    ...("x-rate-limit" in old ? limitChanges(asNode(old["x-rate-limit"]), asNode(now["x-rate-limit"])) : []),
  ];
}

const needChanges = (old: Node, now: Node): string[] =>
  Object.entries(old).flatMap(([kind, needs]) =>
    asList(now[kind])
      .filter((need) => !isMet(asList(needs), need))
      .map((need) => `keys of kind ${kind} need ${need} now`),
  );

/** Admins have every permission; permissions are the needs that contain a colon. */
const isMet = (needs: readonly unknown[], need: unknown): boolean =>
  needs.includes(need) || (needs.includes("admin") && String(need).includes(":"));

const plansByStrictness: readonly unknown[] = ["any", "enterprise_somewhere", "enterprise"];
const isStricterPlan = (old: unknown, now: unknown): boolean =>
  old !== undefined && plansByStrictness.indexOf(now) > plansByStrictness.indexOf(old);

/** Only with these changes does every request of a workspace token work as before. */
const selectorsThatWiden: Readonly<Record<string, readonly unknown[]>> = {
  required: ["optional"],
  refused: ["optional", "ignored"],
};

const selectorChanges = (old: unknown, now: unknown): string[] =>
  old === undefined || now === undefined || old === now || selectorsThatWiden[String(old)]?.includes(now)
    ? []
    : [`org_id of workspace tokens was ${old} and is ${now} now`];

function limitChanges(old: Node, now: Node): string[] {
  // The old limit applied to each of the windows that the new window spans.
  const spanned = Math.ceil(Number(now.seconds) / Number(old.seconds));
  return [
    ...(Number(now.requests) < Number(old.requests) * spanned
      ? [`its limit is ${now.requests} in ${now.seconds} s now`]
      : []),
    // Callers read the bucket's name in RateLimit-Policy, and operations of one bucket share one window.
    ...(now.bucket === old.bucket ? [] : [`it counts in the bucket ${now.bucket} now`]),
    ...(now.owner === old.owner || now.owner === "key" ? [] : [`it counts for the ${now.owner} now`]),
  ];
}
