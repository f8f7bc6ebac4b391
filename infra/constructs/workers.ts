import { CustomResource, Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import { Construct } from "constructs";
import { workerGrants } from "../../lib/contract/grants.ts";
import type { InternalFunction, Worker } from "../../lib/contract/workers.ts";
import type { FunctionFactory } from "./function-factory.ts";
import type { Ingestion } from "./ingestion.ts";
import type { ServiceFunction } from "./service-function.ts";

export type WorkersProps = {
  readonly functionFactory: FunctionFactory;
  readonly workers: readonly Worker[];
  readonly ingestion: Ingestion;
  /** Another table takes another run of the workers that run in a deployment. */
  readonly tableName: string;
};

const order = (entry: InternalFunction) => ({
  ...entry,
  description: entry.summary,
  tableGrants: workerGrants(entry),
});

export type RunningWorker = { readonly worker: Worker; readonly made: ServiceFunction };

/** The Lambdas behind the queue and the schedules. */
export class Workers extends Construct {
  readonly running: readonly RunningWorker[];

  constructor(
    scope: Construct,
    id: string,
    { functionFactory, workers, ingestion, tableName }: WorkersProps,
  ) {
    super(scope, id);
    const clockwork = new WorkerSchedules(this, "Schedule");
    this.running = workers.map((worker) => {
      const made = functionFactory.create(this, order(worker));
      if (worker.trigger.kind === "queue") ingestion.feed(made);
      else {
        clockwork.every(worker.trigger.everyMinutes, made.node.id, made);
        if (worker.trigger.inDeployment) runInDeployment(made, tableName);
      }
      return { worker, made };
    });
  }
}

/**
 * CloudFormation itself invokes the worker and waits for its answer. CDK's `triggers` would add a function of CDK's own,
 * its role and a log group that nobody expires.
 */
function runInDeployment(worker: ServiceFunction, tableName: string): void {
  new CustomResource(worker, "InDeployment", {
    serviceToken: worker.lambda.functionArn,
    resourceType: "Custom::WorkerRun",
    serviceTimeout: Duration.minutes(2),
    properties: { tableName },
  });
}

/** Lambdas that other services of the account invoke with their own roles; they cannot be reached from outside. */
export class Internal extends Construct {
  readonly functions: ReadonlyMap<string, ServiceFunction>;

  constructor(
    scope: Construct,
    id: string,
    functionFactory: FunctionFactory,
    entries: readonly InternalFunction[],
  ) {
    super(scope, id);
    this.functions = new Map(entries.map((entry) => [entry.id, functionFactory.create(this, order(entry))]));
  }
}

/** Invokes workers at fixed intervals. */
class WorkerSchedules extends Construct {
  every(minutes: number, name: string, worker: ServiceFunction): void {
    // The next run does the work of a failed one; Lambda's own retries would only hide how often it fails. Lambda keeps
    // a throttled run for six hours by default: after an hour without capacity, 60 late runs would come at once.
    const maxEventAge = Duration.minutes(1);
    worker.lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge });
    new Rule(this, name, {
      description: `Every ${minutes === 1 ? "minute" : `${minutes} minutes`}`,
      schedule: Schedule.rate(Duration.minutes(minutes)),
      targets: [new LambdaTarget(worker.lambda, { retryAttempts: 0, maxEventAge })],
    });
  }
}
