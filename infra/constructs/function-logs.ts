import { RemovalPolicy } from "aws-cdk-lib";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { retention } from "../../lib/contract/platform.ts";

/** One log group for the API's functions and one for the workers: the streams and the lines name the function. */
export class FunctionLogs extends Construct {
  readonly api: LogGroup;
  readonly workers: LogGroup;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const kept = { retention: retention.logDays, removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE };
    this.api = new LogGroup(this, "ApiLogs", kept);
    this.workers = new LogGroup(this, "WorkerLogs", kept);
  }
}
