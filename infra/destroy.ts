import { spawn } from "node:child_process";
import { once } from "node:events";
import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { DeleteObjectsCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { stackOutputs } from "../lib/contract/platform.ts";
import { InvalidOptions } from "./options.ts";
import { type ClientOptions, clientOptions, optionsOfCommand } from "./options-of-command.ts";

/**
 * `npm run destroy -- -c stackName=NAME -c ephemeral=true`: deletes a stack of a developer or a pull request with its
 * data. CloudFormation does not delete a bucket that contains objects, so the bucket is emptied first.
 */
async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const { ephemeral, stackName } = await optionsOfCommand(words);
  if (!ephemeral)
    throw new InvalidOptions(
      `${stackName} is not ephemeral: its data would stay, and this command refuses to delete it. docs/operate/aws.md ` +
        "says how a permanent stack is removed.",
    );
  await emptyBucketOf(stackName, clientOptions(words));
  const [code] = await once(spawn("cdk", ["destroy", "--force", ...words], { stdio: "inherit" }), "exit");
  process.exitCode = typeof code === "number" ? code : 1;
}

async function emptyBucketOf(StackName: string, options: ClientOptions): Promise<void> {
  const Bucket = await bucketOf(StackName, options);
  if (Bucket === undefined) return;
  const client = new S3Client(options);
  try {
    for (;;) {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
      if (Contents.length === 0) return;
      const Objects = Contents.map(({ Key }) => ({ Key }));
      const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
      if (Errors.length > 0) throw new InvalidOptions(`${Bucket} cannot be emptied: ${Errors[0]?.Message}`);
    }
  } finally {
    client.destroy();
  }
}

/** The events bucket of a deployed ephemeral stack; undefined if there is no such stack. */
async function bucketOf(StackName: string, options: ClientOptions): Promise<string | undefined> {
  const client = new CloudFormationClient(options);
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    const outputs = new Map(
      Stacks[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
    );
    // A permanent stack has this output: the options of the command do not fit what is deployed.
    if (outputs.has(stackOutputs.rollbackAlarms))
      throw new InvalidOptions(`${StackName} was deployed as a permanent stack. Nothing was deleted.`);
    return outputs.get(stackOutputs.eventsBucket);
  } catch (error) {
    if (error instanceof InvalidOptions || !(error instanceof Error)) throw error;
    if (/does not exist/.test(error.message)) return undefined;
    throw new InvalidOptions(
      `CloudFormation cannot be asked for ${StackName} (${error.message || error.name}). Check AWS_REGION and your credentials.`,
    );
  } finally {
    client.destroy();
  }
}

await main().catch((error: unknown) => {
  if (!(error instanceof InvalidOptions)) throw error;
  console.error(error.message);
  process.exitCode = 1;
});
