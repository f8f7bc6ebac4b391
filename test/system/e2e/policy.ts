import * as z from "zod";
import {
  roleStatementsOf,
  type StackTemplate,
  type Statement as TemplateStatement,
} from "../infra/support.ts";
import { type Account, matchesPattern } from "./account.ts";

/** One permission that a call needs, as IAM sees it. */
export type Access = {
  readonly action: string;
  readonly resource: string;
  /** DynamoDB's leading keys, if the action has any. */
  readonly partitions?: readonly string[];
  /** The attributes that a write names, also in its condition. */
  readonly attributes?: readonly string[];
  /** The transaction that contains the action, with the keys of all its items. */
  readonly enclosing?: { readonly operation: string; readonly partitions: readonly string[] };
};

/** A statement of a role, its resources resolved. */
export type Statement = Pick<TemplateStatement, "Effect" | "Action" | "Condition"> & {
  readonly resources: readonly string[];
};

const roleOf = z.object({ Role: z.object({ "Fn::GetAtt": z.tuple([z.string(), z.literal("Arn")]) }) });

/** Every statement of a function's role. */
export function roleStatements(
  template: StackTemplate,
  account: Account,
  functionId: string,
): readonly Statement[] {
  const [role] = roleOf.parse(template.Resources[functionId]?.Properties).Role["Fn::GetAtt"];
  return resolvedStatements(template, account, role);
}

export const resolvedStatements = (
  template: StackTemplate,
  account: Account,
  roleId: string,
): readonly Statement[] =>
  roleStatementsOf(template, roleId).map(({ Effect, Action, Condition, Resource }) => ({
    Effect,
    Action,
    Condition,
    resources: Resource.map((each: unknown) => account.resolve(each)),
  }));

const conditionSchema = z.strictObject({
  "ForAllValues:StringLike": z.strictObject({ "dynamodb:LeadingKeys": z.array(z.string()) }),
  "ForAnyValue:StringEquals": z
    .strictObject({ "dynamodb:EnclosingOperation": z.array(z.string()) })
    .optional(),
  Null: z.strictObject({ "dynamodb:LeadingKeys": z.literal("false") }),
});

/**
 * AWS does not document which leading keys IAM sees inside a transaction, so a role must work under every
 * interpretation: the keys of each item, of all items of one action, or of the whole transaction.
 */
function readingsOf(access: Access): readonly Access[] {
  const { enclosing, partitions = [] } = access;
  if (!enclosing) return [access];
  const seen = [...partitions.map((each) => [each]), partitions, enclosing.partitions];
  return seen.map((keys) => ({ ...access, partitions: keys }));
}

/** True if a statement allows the access, under every interpretation of what IAM sees. */
export const permits = (statements: readonly Statement[], access: Access): boolean =>
  !statements.some((each) => denies(each, access)) &&
  readingsOf(access).every((reading) => statements.some((each) => allows(each, reading)));

const denialSchema = z.strictObject({
  "ForAnyValue:StringEquals": z.strictObject({ "dynamodb:Attributes": z.array(z.string()) }),
});

/** True if the statement denies the access, whatever others allow. */
export function denies(
  { Effect, Action, Condition, resources }: Statement,
  { action, resource, attributes = [] }: Access,
): boolean {
  if (Effect !== "Deny" || !Action.includes(action)) return false;
  if (!resources.some((pattern) => matchesPattern(pattern, resource))) return false;
  const denied = denialSchema.parse(Condition)["ForAnyValue:StringEquals"]["dynamodb:Attributes"];
  return attributes.some((name) => denied.includes(name));
}

export function allows({ Effect, Action, Condition, resources }: Statement, access: Access): boolean {
  if (Effect !== "Allow" || !Action.includes(access.action)) return false;
  if (!resources.some((pattern) => matchesPattern(pattern, access.resource))) return false;
  if (Condition === undefined) return true;
  const condition = conditionSchema.parse(Condition);
  const enclosing = condition["ForAnyValue:StringEquals"]?.["dynamodb:EnclosingOperation"];
  if (enclosing && !enclosing.includes(access.enclosing?.operation ?? "")) return false;
  const patterns = condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"];
  const { partitions = [] } = access;
  const fits = (partition: string) => patterns.some((pattern) => matchesPattern(pattern, partition));
  return partitions.length > 0 && partitions.every(fits);
}
