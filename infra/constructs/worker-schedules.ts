import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import { Construct } from "constructs";
import type { ServiceFunction } from "./service-function.ts";

/** Invokes workers at fixed intervals. */
export class WorkerSchedules extends Construct {
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
