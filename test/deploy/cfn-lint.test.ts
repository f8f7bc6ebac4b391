import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code } from "aws-cdk-lib/aws-lambda";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { pythonTool } from "../support/python-environment.ts";
import { everyOption } from "../system/infra/every-option.ts";
import { wholeTemplate } from "../system/infra/synthesize.ts";

/** What AWS's linter may say, and why the template keeps it. */
const kept = [
  {
    rule: "E3039",
    path: "Resources/Table/Properties",
    reason:
      "The linter does not count the keys of a vector index among the table's, which AWS wants defined too.",
  },
];

const findingsSchema = z.array(
  z.object({
    Rule: z.object({ Id: z.string() }),
    Message: z.string(),
    Location: z.object({ Path: z.array(z.union([z.string(), z.number()])).nullable() }),
  }),
);

let folder: string;
let bin: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cfn-lint-"));
  bin = await pythonTool("cfn-lint");
});
afterAll(() => rm(folder, { recursive: true }));

/** As a deployment gives it: the code is an asset, here any folder. */
const template = (options: Readonly<Record<string, unknown>>) =>
  wholeTemplate(options, {}, () => Code.fromAsset(import.meta.dirname));

/** Errors and warnings; what the linter only notes is a matter of style. */
async function findingsIn(judged: unknown) {
  const file = join(folder, "template.json");
  await writeFile(file, JSON.stringify(judged));
  const command = [join(bin, "cfn-lint"), "--format", "json", "--", file];
  const { stdout, stderr } = spawnSync(join(bin, "python"), command, { encoding: "utf8" });
  if (!stdout.startsWith("[")) throw new Error(`cfn-lint printed no findings: ${stdout}${stderr}`);
  return findingsSchema.parse(JSON.parse(stdout)).map(({ Rule, Message, Location }) => ({
    rule: Rule.Id,
    path: Location.Path?.join("/") ?? "",
    message: Message,
  }));
}

const isKept = ({ rule, path }: { readonly rule: string; readonly path: string }) =>
  kept.some((each) => each.rule === rule && each.path === path);

describe.each([
  ["no option", {}],
  ["every option", everyOption],
])("with %s", (_, options) => {
  test("AWS's template linter finds exactly what the list keeps, with its reason", async () => {
    const findings = await findingsIn(template(options));
    expect(findings.filter((finding) => !isKept(finding))).toEqual([]);
    expect(findings).toHaveLength(kept.length);
  });
});

test("the linter judges: it finds a property that AWS does not know", async () => {
  const Broken = { Type: "AWS::SQS::Queue", Properties: { VisibilityTimeOut: 60 } };
  expect(await findingsIn({ Resources: { Broken } })).toEqual([
    expect.objectContaining({ rule: "E3002", path: "Resources/Broken/Properties/VisibilityTimeOut" }),
  ]);
});
