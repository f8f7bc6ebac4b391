import { RemovalPolicy } from "aws-cdk-lib";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { retention } from "../../lib/contract/platform.ts";

export const keptLogs = {
  retention: retention.logDays,
  removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
};

/** One log group for the API's functions and one for the workers: the streams and the lines name the function. */
export class FunctionLogs extends Construct {
  readonly api: LogGroup;
  readonly workers: LogGroup;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.api = new LogGroup(this, "ApiLogs", keptLogs);
    this.workers = new LogGroup(this, "WorkerLogs", keptLogs);
  }
}
