import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  type Stack,
  UpdateStackCommand,
} from "@aws-sdk/client-cloudformation";
import type { AwsIdentity } from "../../runtime/aws-identity.ts";
import { systemClock } from "../../runtime/clock.ts";
import { OperatorError } from "../../runtime/operator-error.ts";

const pollMs = 5_000;

/** A CloudFormation stack of the proof's own. */
export class ProofStack {
  readonly name: string;
  readonly #client: CloudFormationClient;
  /** By its id a stack can also be described when it is deleted. */
  #id: string;

  constructor(name: string, identity: AwsIdentity) {
    this.name = name;
    this.#id = name;
    this.#client = new CloudFormationClient(identity);
  }

  async create(template: object): Promise<ReadonlyMap<string, string>> {
    const { StackId } = await this.#client.send(
      new CreateStackCommand({ ...this.#input(template), OnFailure: "DELETE" }),
    );
    this.#id = StackId ?? this.name;
    return await this.#settled();
  }

  async update(template: object): Promise<ReadonlyMap<string, string>> {
    await this.#client.send(new UpdateStackCommand(this.#input(template)));
    return await this.#settled();
  }

  /** Ends when the stack is gone, also if it never was there. */
  async remove(): Promise<void> {
    await this.#client.send(new DeleteStackCommand({ StackName: this.name }));
    for (;;) {
      const status = await this.#describe().then(
        ({ StackStatus }) => StackStatus,
        () => undefined,
      );
      if (status === undefined || status === "DELETE_COMPLETE") return;
      if (status === "DELETE_FAILED") throw new OperatorError(await this.#firstFailure());
      await systemClock.sleep(pollMs);
    }
  }

  #input(template: object) {
    return {
      StackName: this.name,
      TemplateBody: JSON.stringify(template),
      Capabilities: ["CAPABILITY_IAM" as const],
    };
  }

  async #describe(): Promise<Partial<Stack>> {
    const { Stacks = [] } = await this.#client.send(new DescribeStacksCommand({ StackName: this.#id }));
    return Stacks[0] ?? {};
  }

  /** The outputs, when CloudFormation is done; its first reason, if it failed. */
  async #settled(): Promise<ReadonlyMap<string, string>> {
    for (;;) {
      const { StackStatus = "", Outputs = [] } = await this.#describe();
      if (/^(CREATE|UPDATE)_COMPLETE$/.test(StackStatus))
        return new Map(Outputs.map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue]));
      if (/(ROLLBACK|DELETE)_COMPLETE$|_FAILED$/.test(StackStatus))
        throw new OperatorError(await this.#firstFailure());
      await systemClock.sleep(pollMs);
    }
  }

  async #firstFailure(): Promise<string> {
    const { StackEvents = [] } = await this.#client.send(
      new DescribeStackEventsCommand({ StackName: this.#id }),
    );
    const failed = StackEvents.filter(({ ResourceStatus = "" }) => ResourceStatus.endsWith("_FAILED"));
    // The newest comes first; the oldest failure is the cause of the others.
    const { LogicalResourceId, ResourceStatusReason } = failed.at(-1) ?? {};
    return `${LogicalResourceId ?? this.name}: ${ResourceStatusReason ?? "CloudFormation gives no reason"}`;
  }
}
