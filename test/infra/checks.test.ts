import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import type { IConstruct } from "constructs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { createApp } from "../../infra/stack.ts";
import { noCode, testContext } from "./support.ts";

const outdir = mkdtempSync(join(tmpdir(), "synth-"));
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

const everyOption = {
  domainName: "api.example.com",
  certificateArn: "arn:aws:acm:eu-west-1:111122223333:certificate/0a1b",
  hostedZoneId: "Z0ABC",
  corsOrigins: "https://app.example.com",
  waf: "true",
  customerManagedKey: "true",
  alarmEmail: "ops@example.com",
  reservedConcurrency: "ingest=20",
  pointInTimeRecovery: "false",
};

const create = (options: Readonly<Record<string, unknown>>, checked: boolean) =>
  createApp({ codeOf: noCode, checked, context: { ...testContext, ...options }, outdir });

type Finding = { readonly path: string; readonly rule: string };
type Acknowledgement = Finding & { readonly reason: string };

/** What cdk-nag would say if nobody had acknowledged anything. */
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
      violations: z.array(z.unknown()),
      suppressedViolations: z.array(z.object({ acknowledgedId: z.string(), acknowledgedAt: z.string() })),
    }),
  ),
});

describe.each([
  ["no option", {}],
  ["every option", everyOption],
])("with %s", (_, options) => {
  let app: App;
  beforeAll(() => {
    ({ app } = create(options, true));
    app.synth();
  });

  test("AWS's template rules and cdk-nag find nothing that is not acknowledged", () => {
    const report = reportSchema.parse(
      JSON.parse(readFileSync(join(outdir, "validation-report.json"), "utf8")),
    );
    expect(report.pluginReports.flatMap(({ violations }) => violations)).toEqual([]);
    expect(report.pluginReports.flatMap(({ suppressedViolations }) => suppressedViolations)).toEqual([
      { acknowledgedId: "CloudFormation-Validate::E3039", acknowledgedAt: "ReviewApi/Data/Table" },
    ]);
  });

  test("every acknowledgement covers exactly one finding and says why", () => {
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
    expect(nag.filter(({ reason }) => reason.length < 40)).toEqual([]);
  });
});

test("a finding fails the synth: the checks are errors, not advice", () => {
  const { app, stack } = create({}, true);
  const table = stack.node.findChild("Data").node.findChild("Table");
  Reflect.set(table, "pointInTimeRecoverySpecification", { pointInTimeRecoveryEnabled: false });
  expect(() => app.synth()).toThrow(/AwsSolutions-DDB3/);
});
