import { expect } from "vitest";
import { type OperationId, operations } from "../../../lib/contract/operations.ts";
import type { Answer } from "../../support/api.ts";
import { isLong } from "../../support/volume.ts";
import { bytesOf, leaksIn } from "./compare.ts";
import { ask, readersOf } from "./requests.ts";
import type { Stage } from "./stage.ts";
import type { Holder, TenantFixture } from "./tenants.ts";

/** Every operation that pages. */
const paged = operations
  .filter(({ query }) => "cursor" in query.shape)
  .map(({ id }) => id)
  // Nothing was sent to a webhook, so no walk over deliveries has a second page.
  .filter((id) => id !== "listWebhookDeliveries");
/** The same list over other data: its cursors are not valid for the first list. */
const elsewhere: Readonly<Record<string, string>> = {
  listReviewCommentMetrics: "user_ids=u1",
  listReviewMetrics: "user_ids=u1",
  listMcpMetrics: "user_ids=u1",
  listLearnings: "user_ids=u1",
  listAuditLogs: "user_ids=u1",
  listUsers: "role_filter=admin",
  listSecurityFindings: "state=all",
};
const targetOf = (operation: OperationId, holder: Holder): string =>
  ask(operation, holder, {
    query: { limit: "1", ...(operation === "listAuditLogs" && { order: "asc" }) },
  }).target;

export type MadeCursor = {
  readonly tenant: TenantFixture;
  readonly holder: Holder;
  readonly operation: OperationId;
  readonly cursor: string;
};

/** The cursors of every tenant and operation, as the tenant's keys receive them. */
export async function makeCursors(stage: Stage): Promise<MadeCursor[]> {
  const made: MadeCursor[] = [];
  for (const tenant of stage.tenants)
    for (const holder of isLong ? tenant.holders : onePerKind(tenant))
      for (const operation of paged.filter((each) => readersOf(each).includes(holder.kind))) {
        const target = targetOf(operation, holder);
        const { json, headers } = await stage.send(holder, operation, { method: "GET", target });
        const next: unknown =
          typeof json === "object" && json !== null ? Reflect.get(json, "next_cursor") : null;
        for (const cursor of [next, headers["x-resume-cursor"]])
          if (typeof cursor === "string") made.push({ tenant, holder, operation, cursor });
      }
  expect([...new Set(made.map(({ operation }) => operation))].toSorted()).toEqual(paged.toSorted());
  return made;
}

export const onePerKind = ({ holders }: TenantFixture): Holder[] => [
  ...new Map(holders.map((holder) => [holder.kind, holder])).values(),
];

/** Another tenant continues a walk that is not its own. Returns the answer. */
export async function swapCursor(
  stage: Stage,
  made: readonly MadeCursor[],
): Promise<[place: string, bytes: string]> {
  const { tenant, operation, cursor } = stage.any(made);
  const thief = stage.otherThan(tenant);
  const holder = stage.any(thief.holders.filter(({ kind }) => readersOf(operation).includes(kind)));
  const answer = await refusal(stage, holder, operation, `${targetOf(operation, holder)}&cursor=${cursor}`);
  expect(leaksIn(answer, stage.secretsBeside(thief), "")).toEqual([]);
  return [placeOf(operation, holder), bytesOf(answer, [cursor])];
}

/** Answers to legacy keys have headers of their own. */
const placeOf = (operation: string, { kind }: Holder): string =>
  kind === "legacy" ? `${operation} with a legacy key` : operation;

/** The answer to a caller who continues their own walk over other data. */
export async function misuseOwnCursor(
  stage: Stage,
  { holder, operation, cursor }: MadeCursor,
): Promise<[place: string, bytes: string] | undefined> {
  const change = elsewhere[operation];
  if (!change) return undefined;
  const target = `${targetOf(operation, holder)}&${change}&cursor=${cursor}`;
  return [placeOf(operation, holder), bytesOf(await refusal(stage, holder, operation, target), [cursor])];
}

async function refusal(stage: Stage, holder: Holder, operation: string, target: string): Promise<Answer> {
  const answer = await stage.send(holder, operation, { method: "GET", target });
  expect([operation, answer.status, answer.codes]).toEqual([operation, 400, ["INVALID_CURSOR"]]);
  return answer;
}
