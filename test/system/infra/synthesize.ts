import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Code } from "aws-cdk-lib/aws-lambda";
import * as z from "zod";
import type { CodeOf } from "../../../infra/constructs/function-factory.ts";
import { parseOptions } from "../../../infra/options.ts";
import { type ReviewApiProps, ReviewApiStack } from "../../../infra/stack.ts";
import type { Operation } from "../../../lib/contract/operation.ts";
import { type StackTemplate, templateSchema } from "./support.ts";

const cdkJson = z
  .object({ app: z.string(), context: z.record(z.string(), z.unknown()) })
  .parse(JSON.parse(readFileSync("cdk.json", "utf8")));

/** The context of a real run, without bundling. */
export const testContext = { ...cdkJson.context, "aws:cdk:bundling-stacks": [] };

export const noCode = () => Code.fromInline("exports.handler = () => undefined;");

export type Overrides = Pick<ReviewApiProps, "operations" | "workers" | "releases">;

/** The template of the stack with these options, as plain data. */
export const synthesize = (...parameters: Parameters<typeof wholeTemplate>): StackTemplate =>
  templateSchema.parse(wholeTemplate(...parameters));

/** The same with everything that CloudFormation gets. */
export function wholeTemplate(
  options: Readonly<Record<string, unknown>> = {},
  overrides: Overrides = {},
  codeOf: CodeOf = noCode,
): unknown {
  const outdir = mkdtempSync(join(tmpdir(), "synthesize-"));
  try {
    const context = { ...testContext, ...options };
    const app = new App({ builtinCloudFormationValidation: false, context, outdir });
    const parsed = parseOptions((name) => app.node.tryGetContext(name));
    const stack = new ReviewApiStack(app, { options: parsed, codeOf, ...overrides });
    return Template.fromStack(stack).toJSON();
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** A copy of another operation, for cases that the contract does not contain yet. */
export const variant = (operation: Operation, changes: Partial<Operation>): Operation => ({
  ...operation,
  ...changes,
});
