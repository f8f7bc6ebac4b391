import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  ListStackResourcesCommand,
  type Stack,
  UpdateStackCommand,
} from "@aws-sdk/client-cloudformation";
import type { AwsIdentity } from "../../runtime/aws-identity.ts";
import { type Clock, systemClock } from "../../runtime/clock.ts";
import { OperatorError } from "../../runtime/operator-error.ts";

const pollMs = 5_000;
const removalMsMax = 20 * 60_000;

type Waiting = {
  readonly clock?: Clock;
  /** Ends the waiting for CloudFormation, but not a removal. */
  readonly signal?: AbortSignal;
};

/** A CloudFormation stack of the proof's own. */
export class ProofStack {
  readonly name: string;
  readonly #client: CloudFormationClient;
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  /** By its id a stack can also be described when it is deleted. */
  #id: string;

  constructor(name: string, identity: AwsIdentity, { clock = systemClock, signal }: Waiting = {}) {
    this.name = name;
    this.#id = name;
    this.#clock = clock;
    this.#signal = signal;
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
    const untilMs = this.#clock.nowMs() + removalMsMax;
    for (;;) {
      const { StackStatus: status = "" } = await this.#describe().catch(goneOrThrow);
      if (status === "DELETE_COMPLETE") return;
      if (this.#clock.nowMs() >= untilMs)
        throw new OperatorError(`${status} after 20 minutes: ${await this.#remaining()}`);
      // During an update, CloudFormation refuses to delete a stack.
      const isBusy = /^(DELETE|UPDATE)\w*_IN_PROGRESS$/.test(status);
      if (!isBusy) await this.#client.send(new DeleteStackCommand({ StackName: this.#id }));
      if (isBusy || status === "DELETE_FAILED") await this.#clock.sleep(pollMs);
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
      await this.#clock.sleep(pollMs, this.#signal);
    }
  }

  /** The resources that CloudFormation could not delete, with the reason of each. */
  async #remaining(): Promise<string> {
    const { StackResourceSummaries = [] } = await this.#client.send(
      new ListStackResourcesCommand({ StackName: this.#id }),
    );
    return StackResourceSummaries.filter(({ ResourceStatus }) => ResourceStatus !== "DELETE_COMPLETE")
      .map(
        ({ ResourceType, PhysicalResourceId, LogicalResourceId, ResourceStatusReason }) =>
          `${ResourceType} ${PhysicalResourceId ?? LogicalResourceId} (${ResourceStatusReason ?? "no reason given"})`,
      )
      .join(", ");
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

/** Only this error means that the stack is not there: with any other, it may be. */
function goneOrThrow(error: unknown): Partial<Stack> {
  if (error instanceof Error && error.name === "ValidationError" && /does not exist/.test(error.message))
    return { StackStatus: "DELETE_COMPLETE" };
  throw error;
}
