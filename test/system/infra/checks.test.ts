import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import type { IConstruct } from "constructs";
import { afterAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { parseOptions, stackOptionNames } from "../../../infra/options.ts";
import { createApp } from "../../../infra/stack.ts";
import { whoami } from "../../../lib/contract/operations/keys.ts";
import { listLearnings } from "../../../lib/contract/operations/learnings.ts";
import { expireWaiting, ingest } from "../../../lib/contract/workers.ts";
import { everyEphemeralOption, everyOption } from "./every-option.ts";
import { noCode, type Overrides, testContext } from "./synthesize.ts";

const outdir = mkdtempSync(join(tmpdir(), "synth-"));
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

/** AWS's rules take six seconds for all functions, which differ only in numbers; `npm run synth` checks all of them. */
const oneOfEach: Overrides = process.env.LONG
  ? {}
  : { operations: [whoami, listLearnings], workers: [ingest, expireWaiting] };

const create = (options: Readonly<Record<string, unknown>>, contract: Overrides, checked: boolean) =>
  createApp({ codeOf: noCode, checked, context: { ...testContext, ...options }, outdir, ...contract });

type Finding = { readonly path: string; readonly rule: string };
type Acknowledgement = Finding & { readonly reason: string };

/** The findings of cdk-nag without any acknowledgement. */
function rawFindings(app: IConstruct): Finding[] {
  const pack = new AwsSolutionsChecks();
  Reflect.set(pack, "isAcknowledged", () => false);
  return pack
    .validateScope(app)
    .violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => ({ path: constructPath ?? "", rule: ruleName })),
    );
}

function acknowledgements(app: IConstruct): Acknowledgement[] {
  return app.node.findAll().flatMap(({ node }) =>
    node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries(z.record(z.string(), z.string()).parse(data)))
      .map(([id, reason]) => ({ path: node.path, rule: id.replace(/^annotation::/i, ""), reason })),
  );
}

const reportSchema = z.object({
  pluginReports: z.array(
    z.object({
      conclusion: z.string(),
      violations: z.array(z.object({ ruleName: z.string() })),
      suppressedViolations: z
        .array(z.object({ acknowledgedId: z.string(), acknowledgedAt: z.string() }))
        .default([]),
    }),
  ),
});

test("the sets of options below give every option another value than its default", () => {
  const parsed = (options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
    parseOptions((name) => options[name]);
  const sets = [everyOption, everyEphemeralOption].map(parsed);
  const isUntouched = (name: string) =>
    sets.every((options) => isDeepStrictEqual(options[name], parsed({})[name]));
  expect(stackOptionNames.filter(isUntouched)).toEqual([]);
});

describe.each([
  ["no option", {}],
  ["every option", everyOption],
  ["the options of a pull request's stack", { ephemeral: "true" }],
  ["every option of a pull request's stack", everyEphemeralOption],
])("with %s", (_, options) => {
  test("AWS's template rules and cdk-nag find nothing that is not acknowledged", () => {
    const { app, stack } = create(options, oneOfEach, true);
    app.synth();
    const report = reportSchema.parse(
      JSON.parse(readFileSync(join(outdir, "validation-report.json"), "utf8")),
    );
    const found = report.pluginReports.flatMap(({ violations }) =>
      violations.map(({ ruleName }) => ruleName),
    );
    // The warning of a stack without `alarmEmail`, which ends no synth.
    expect(found.filter((rule) => rule !== "Annotation::review-api:alarmEmail")).toEqual([]);
    expect(report.pluginReports.flatMap(({ suppressedViolations }) => suppressedViolations)).toEqual([
      { acknowledgedId: "CloudFormation-Validate::E3039", acknowledgedAt: `${stack.node.path}/Data/Table` },
    ]);
  });

  test("every acknowledgement covers exactly one finding in the whole stack and says why", () => {
    const { app } = create(options, {}, false);
    const findings = rawFindings(app);
    const nag = acknowledgements(app).filter(({ rule }) => rule.startsWith("AwsSolutions-"));
    const covered = nag.map(({ path, rule }) => ({
      path,
      rule,
      findings: findings.filter((each) => each.rule === rule && `${each.path}/`.startsWith(`${path}/`))
        .length,
    }));
    expect(covered.filter((each) => each.findings !== 1)).toEqual([]);
    expect(nag).toHaveLength(findings.length);
    expect(findings.length).toBeGreaterThan(4);
    expect(nag.filter(({ reason }) => reason.length < 40)).toEqual([]);
  });
});

test("a finding fails the synth: the checks are errors, not warnings", () => {
  const { app, stack } = create({}, oneOfEach, true);
  const table = stack.node.findChild("Data").node.findChild("Table");
  Reflect.set(table, "pointInTimeRecoverySpecification", { pointInTimeRecoveryEnabled: false });
  expect(() => app.synth()).toThrow(/AwsSolutions-DDB3/);
});

const warnings = (region: string | undefined, options: Readonly<Record<string, unknown>> = {}) => {
  const few: Overrides = { operations: [whoami], workers: [ingest] };
  const context = { ...testContext, alarmEmail: "ops@example.com", ...options };
  const { stack } = createApp({ codeOf: noCode, checked: false, context, outdir, region, ...few });
  return stack.node.metadata.filter(({ type }) => type === "aws:cdk:warning").map(({ data }) => String(data));
};

test("synth says in a line that nobody hears the alarms, unless an address receives them", () => {
  expect(warnings("eu-west-1", { alarmEmail: undefined })).toEqual([
    expect.stringMatching(/^Nobody hears the alarms: .*Set alarmEmail/),
  ]);
  expect(warnings("eu-west-1")).toEqual([]);
  const alarmTopicArn = "arn:aws:sns:eu-west-1:444455556666:pager";
  expect(warnings("eu-west-1", { alarmEmail: undefined, alarmTopicArn })).toEqual([]);
});

test("synth refuses a topic of another region, where the stack's region is known", () => {
  const alarmTopicArn = "arn:aws:sns:eu-west-1:444455556666:pager";
  expect(() => warnings("eu-north-1", { alarmTopicArn })).toThrow(
    "alarmTopicArn must be in the stack's region eu-north-1, not in eu-west-1",
  );
  expect(warnings(undefined, { alarmTopicArn })).toEqual([]);
});

describe("a region that is not known to have the embedding model", () => {
  test("synth warns about a region not known to have the embedding model, with the option and command to use", () => {
    expect(warnings("af-south-1")).toEqual([
      expect.stringMatching(
        /not known to be in af-south-1\..*Set bedrockRegion.*npx --no-install review-api verify/,
      ),
    ]);
    expect(warnings("eu-west-1", { bedrockRegion: "me-south-1" })).toEqual([
      expect.stringContaining("not known to be in me-south-1."),
    ]);
  });

  test("synth does not warn if the option names a region with the model, or if the region is not known yet", () => {
    expect(warnings("af-south-1", { bedrockRegion: "eu-west-1" })).toEqual([]);
    expect(warnings("eu-west-1")).toEqual([]);
    expect(warnings(undefined)).toEqual([]);
  });
});
