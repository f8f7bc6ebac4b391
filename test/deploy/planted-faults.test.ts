import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { verify } from "../../lib/checks/service/run.ts";
import { operationOf } from "../../lib/contract/operations.ts";
import { stackOutputs } from "../../lib/contract/platform.ts";
import { eventTypes } from "../../lib/events/event-types.ts";
import { apiUrlOf, connectToStack, outputsOf } from "../../lib/operator/stack.ts";
import { invoker } from "../../lib/operator/stack-functions.ts";
import { copyProject, type ProjectCopy } from "../system/docs/project-copy.ts";
import { type Emulator, emulatorVariables, region, startEmulator } from "./emulator.ts";

const templateSchema = z.looseObject({
  Resources: z.record(
    z.string(),
    z.looseObject({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).optional() }),
  ),
});
type Template = z.output<typeof templateSchema>;
const bodySchema = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.record(z.string(), z.unknown()))),
});

/** The operation whose route or function is broken. */
const broken = operationOf("listTeams");
const itsChecks = [`${broken.id} works`, `${broken.id} refuses a call without a key`];

type Fault = {
  /** Also the end of the stack's name. */
  readonly name: string;
  plant(template: Template): void;
  readonly failing: readonly string[];
  /** What the other checks wait for, if the fault is not seen in them. */
  readonly eventsMs: number;
};
const faults: readonly Fault[] = [
  {
    name: "a-route-without-its-integration",
    plant({ Resources }) {
      const api = only(Resources, "AWS::ApiGateway::RestApi");
      const body = bodySchema.parse(api.Body);
      delete body.paths[broken.path]?.[broken.method.toLowerCase()]?.["x-amazon-apigateway-integration"];
      api.Body = body;
    },
    failing: itsChecks,
    eventsMs: 120_000,
  },
  {
    name: "a-wrong-handler-name",
    plant({ Resources }) {
      const description = `${broken.method} ${broken.path}`;
      only(Resources, "AWS::Lambda::Function", ({ Description }) => Description === description).Handler =
        "index.absent";
    },
    failing: itsChecks,
    eventsMs: 120_000,
  },
  {
    name: "a-worker-without-its-trigger",
    plant({ Resources }) {
      for (const [id, { Type }] of Object.entries(Resources))
        if (Type === "AWS::Lambda::EventSourceMapping") delete Resources[id];
    },
    failing: Object.keys(eventTypes).map((type) => `${type} is applied`),
    eventsMs: 10_000,
  },
];

/** The properties of the only resource of the type, or of the only one that is meant. */
function only(
  resources: Template["Resources"],
  type: string,
  isMeant: (properties: Record<string, unknown>) => boolean = () => true,
): Record<string, unknown> {
  const found = Object.values(resources).flatMap(({ Type, Properties }) =>
    Type === type && Properties && isMeant(Properties) ? [Properties] : [],
  );
  const [properties, ...more] = found;
  if (!properties || more.length > 0) throw new Error(`The template has ${found.length} of ${type}.`);
  return properties;
}

/** Each takes two minutes: `LONG=1 npm run test:deploy`. */
describe.runIf(process.env.LONG === "1")("verify sees a planted fault of the deployment", () => {
  let emulator: Emulator;
  let project: ProjectCopy;
  let command: (line: string) => Promise<string>;
  beforeAll(async () => {
    emulator = await startEmulator();
    project = await copyProject();
    const variables = Object.entries(emulatorVariables(emulator.url));
    for (const [name, value] of variables) vi.stubEnv(name, value);
    const given = variables.map(([name, value]) => `${name}=${value}`).join(" ");
    command = (line) => project.run(`env ${given} ${line}`);
    await command("npx cdk bootstrap");
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await emulator?.stop();
    project?.remove();
  });

  test.each(faults)("$name", async ({ name, plant, failing, eventsMs }) => {
    const stackName = `ReviewApi-${name}`;
    await command(`npm run synth -- -c stackName=${stackName} -c ephemeral=true`);
    const file = join(project.folder, `cdk.out/${stackName}.template.json`);
    const template = templateSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    const sound = JSON.stringify(template);
    plant(template);
    expect(JSON.stringify(template)).not.toBe(sound);
    writeFileSync(file, JSON.stringify(template));
    await command("npx cdk deploy --app cdk.out --require-approval never");

    const output = await outputsOf(stackName, region);
    const connection = await connectToStack(stackName, region);
    try {
      const { checks } = await verify(
        {
          connection,
          baseUrl: await apiUrlOf(output),
          publicUrl: output(stackOutputs.apiUrl),
          search: invoker(output(stackOutputs.searchFunctionName), region),
          commandFor: (words) => words,
        },
        { sentence: String, onResult: () => undefined, eventsMs, without: emulator.notShown },
      );
      const problems = checks.flatMap(({ name: check, problem }) =>
        problem === null ? [] : [[check, problem]],
      );
      console.log(`${name}:\n${problems.map((each) => each.join(": ")).join("\n")}`);
      const failed = problems.map(([check]) => check);
      // Without events there is nothing that other checks could call with.
      if (failing === itsChecks) expect(failed).toEqual(failing);
      else expect(failed).toEqual(expect.arrayContaining([...failing]));
    } finally {
      await connection.close();
    }
  });
});
