import * as z from "zod";
import {
  documentStatements,
  ofType,
  type StackTemplate,
  type Statement as TemplateStatement,
} from "../infra/support.ts";
import { type Account, matchesPattern } from "./account.ts";

/** One permission that a call takes, as IAM sees it. */
export type Access = {
  readonly action: string;
  readonly resource: string;
  /** DynamoDB's leading keys, where the action has any. */
  readonly partitions?: readonly string[];
};

/** A statement of a role, its resources resolved. */
export type Statement = Pick<TemplateStatement, "Effect" | "Action" | "Condition"> & {
  readonly resources: readonly string[];
};

const roleOf = z.object({ Role: z.object({ "Fn::GetAtt": z.tuple([z.string(), z.literal("Arn")]) }) });
const policyOf = z.object({ Roles: z.array(z.object({ Ref: z.string() })), PolicyDocument: z.unknown() });

/** Everything that the policies in the template give to a function's role. */
export function roleStatements(
  template: StackTemplate,
  account: Account,
  functionId: string,
): readonly Statement[] {
  const [role] = roleOf.parse(template.Resources[functionId]?.Properties).Role["Fn::GetAtt"];
  return ofType(template, "AWS::IAM::Policy")
    .map(([, { Properties }]) => policyOf.parse(Properties))
    .filter(({ Roles }) => Roles.some(({ Ref }) => Ref === role))
    .flatMap(({ PolicyDocument }) => documentStatements(PolicyDocument))
    .map(({ Effect, Action, Condition, Resource }) => ({
      Effect,
      Action,
      Condition,
      resources: Resource.map((each: unknown) => account.resolve(each)),
    }));
}

const conditionSchema = z.strictObject({
  "ForAllValues:StringLike": z.strictObject({ "dynamodb:LeadingKeys": z.array(z.string()) }),
  Null: z.strictObject({ "dynamodb:LeadingKeys": z.literal("false") }).optional(),
});

export function allows({ Effect, Action, Condition, resources }: Statement, access: Access): boolean {
  if (Effect !== "Allow" || !Action.includes(access.action)) return false;
  if (!resources.some((pattern) => matchesPattern(pattern, access.resource))) return false;
  if (Condition === undefined) return true;
  const { Null, ...condition } = conditionSchema.parse(Condition);
  const patterns = condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"];
  const { partitions = [] } = access;
  const fits = (partition: string) => patterns.some((pattern) => matchesPattern(pattern, partition));
  return partitions.every(fits) && (partitions.length > 0 || !Null);
}
