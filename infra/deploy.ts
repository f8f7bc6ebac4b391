import { spawn } from "node:child_process";
import { once } from "node:events";
import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { rollback, stackOutputs } from "../lib/contract/platform.ts";
import { InvalidOptions, type StackOptions } from "./options.ts";
import { type ClientOptions, clientOptions, optionsOfCommand } from "./options-of-command.ts";

const triggerOption = "--rollback-trigger-alarm-arns";

/**
 * `npm run deploy`: `cdk deploy` with rollback triggers. From the second deployment on, CloudFormation rolls back if
 * one of the stack's own alarms rings during the deployment or shortly after it. A deployment that repairs the cause of a ringing
 * alarm must not wait for it: `npm run deploy -- --rollback-trigger-alarm-arns none`.
 */
async function deploymentArguments(
  words: readonly string[],
  options: Pick<StackOptions, "stackName" | "ephemeral">,
): Promise<readonly string[]> {
  if (options.ephemeral || words.includes(triggerOption)) return words;
  const arns = await rollbackAlarmsOf(options.stackName, clientOptions(words));
  if (arns.length === 0) return words;
  return [
    ...words,
    ...arns.flatMap((arn) => [triggerOption, arn]),
    ...["--monitoring-time-minutes", String(rollback.monitoringMinutes)],
  ];
}

/** The alarms of the deployed stack; none before the first deployment. */
async function rollbackAlarmsOf(StackName: string, options: ClientOptions): Promise<readonly string[]> {
  const client = new CloudFormationClient(options);
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    const output = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === stackOutputs.rollbackAlarms);
    return output?.OutputValue?.split(",") ?? [];
  } catch (error) {
    const { name = "", message = "" } = error instanceof Error ? error : {};
    if (/does not exist/.test(message)) return [];
    throw new InvalidOptions(
      `CloudFormation cannot be asked for the alarms of ${StackName} (${message || name}). Check AWS_REGION and your credentials.`,
    );
  } finally {
    client.destroy();
  }
}

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const given = await deploymentArguments(words, await optionsOfCommand(words));
  const [code] = await once(spawn("cdk", ["deploy", ...given], { stdio: "inherit" }), "exit");
  process.exitCode = typeof code === "number" ? code : 1;
}

if (import.meta.main)
  await main().catch((error: unknown) => {
    if (!(error instanceof InvalidOptions)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  });
