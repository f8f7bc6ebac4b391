import {
  Annotations,
  App,
  type AppProps,
  type CfnElement,
  CfnOutput,
  RemovalPolicies,
  Stack,
  Validations,
} from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import type { Construct } from "constructs";
import type { Operation } from "../lib/contract/operation.ts";
import { operations } from "../lib/contract/operations.ts";
import { embeddingRegions, stackOutputs } from "../lib/contract/platform.ts";
import { internalFunctions, searchForReview, type Worker, workers } from "../lib/contract/workers.ts";
import { Api } from "./constructs/api.ts";
import { Data } from "./constructs/data.ts";
import { Domain } from "./constructs/domain.ts";
import { Firewall } from "./constructs/firewall.ts";
import { type CodeOf, FunctionFactory } from "./constructs/function-factory.ts";
import { FunctionLogs } from "./constructs/function-logs.ts";
import { Ingestion } from "./constructs/ingestion.ts";
import { Observability } from "./constructs/observability.ts";
import { admitPlatform } from "./constructs/platform-account.ts";
import { Internal, Workers } from "./constructs/workers.ts";
import { logicalId } from "./logical-id.ts";
import { parseOptions, type StackOptions, silenceOf, stackTags } from "./options.ts";

export type ReviewApiProps = {
  readonly options: StackOptions;
  readonly codeOf: CodeOf;
  /** The release of each function, by its source. */
  readonly releases?: ReadonlyMap<string, string>;
  /** The contract's lists, unless a test passes its own. */
  readonly operations?: readonly Operation[];
  readonly workers?: readonly Worker[];
};

/** Everything the service needs on AWS, in one stack; `infra` uses only the contract of the project. */
export class ReviewApiStack extends Stack {
  constructor(scope: Construct, props: ReviewApiProps) {
    const { options } = props;
    super(scope, options.stackName, {
      description: "Review metrics, Learnings and administration API",
      tags: stackTags(options),
    });
    const data = new Data(this, "Data", options);
    const ingestion = new Ingestion(this, "Ingestion", {
      encryptionKey: data.encryptionKey,
      workersMax: options.eventWorkers,
    });
    const logs = new FunctionLogs(this, "Logs");
    const { codeOf, releases } = props;
    const shared = { data, ingestion, codeOf, options, ...(releases && { releases }) };
    const served = props.operations ?? operations;
    const api = new Api(this, "Api", {
      functionFactory: new FunctionFactory({ ...shared, logGroup: logs.api }),
      operations: served,
      options,
    });
    const functionFactory = new FunctionFactory({ ...shared, logGroup: logs.workers, apiUrl: api.url });
    const { running } = new Workers(this, "Workers", {
      functionFactory,
      workers: props.workers ?? workers,
      ingestion,
      tableName: data.table.name,
    });
    const internal = new Internal(this, "Internal", functionFactory, internalFunctions);
    const observability = new Observability(this, "Observability", {
      restApi: api.restApi,
      tableName: data.table.name,
      ingestion,
      workers: running,
      apiFunctions: [...api.functions.values(), api.mcp],
      internalFunctions: [...internal.functions.values()],
      accessLogs: api.accessLogs,
      apiLogs: logs.api,
      workerLogs: logs.workers,
      bedrockModelId: options.bedrockRegion === undefined ? options.bedrockModelId : undefined,
      alarmEmail: options.alarmEmail,
      alarmTopicArn: options.alarmTopicArn,
    });
    if (options.waf) new Firewall(this, "Firewall", { restApi: api.restApi, operations: served, options });
    this.#addDomain(api, options);

    this.#output(stackOutputs.tableName, data.table.name);
    this.#output(stackOutputs.eventsQueueUrl, ingestion.eventsQueue.queueUrl);
    this.#output(stackOutputs.deadLetterQueueUrl, ingestion.deadLetterQueue.queueUrl);
    this.#output(stackOutputs.eventsBucket, ingestion.eventsBucket.bucketName);
    this.#output(stackOutputs.auditRetentionDays, String(options.auditRetentionDays));
    this.#output(stackOutputs.bedrockRegion, options.bedrockRegion ?? this.region);
    if (options.commit !== undefined) this.#output(stackOutputs.commit, options.commit);
    const search = internal.functions.get(searchForReview.id);
    if (search) this.#output(stackOutputs.searchFunctionName, search.lambda.functionName);
    for (const platformAccount of options.platformAccounts ?? [])
      admitPlatform({ platformAccount, data, ingestion, search });
    if (options.ephemeral) RemovalPolicies.of(this).destroy();
    else this.#output(stackOutputs.rollbackAlarms, observability.rollbackAlarms.join(","));
  }

  #addDomain({ restApi, url }: Api, options: StackOptions): void {
    const { domainName, certificateArn, hostedZoneId, basePath } = options;
    this.#output(stackOutputs.apiUrl, url);
    if (options.disableExecuteApiEndpoint)
      this.#output(stackOutputs.closedUrl, restApi.url.replace(/\/$/, ""));
    if (domainName === undefined || certificateArn === undefined) return;
    const domain = new Domain(this, "Domain", {
      restApi,
      domainName,
      certificateArn,
      hostedZoneId,
      basePath,
    });
    this.#output(stackOutputs.domainTarget, domain.target);
  }

  #output(name: string, value: string): void {
    new CfnOutput(this, name, { value });
  }

  protected override allocateLogicalId(element: CfnElement): string {
    return logicalId(element.node.path.slice(this.node.path.length + 1));
  }
}

export type AppOptions = Pick<ReviewApiProps, "codeOf" | "releases" | "operations" | "workers"> & {
  /** Runs AWS's offline template rules and cdk-nag's AwsSolutions pack, with violations as errors. */
  readonly checked: boolean;
  readonly context?: AppProps["context"];
  readonly outdir?: string;
  /** Used unless the option of that name is given. */
  readonly commit?: string | undefined;
  /** The region of the stack, if it is known. */
  readonly region?: string | undefined;
};

export function createApp(given: AppOptions): {
  app: App;
  stack: ReviewApiStack;
  options: StackOptions;
} {
  const { checked, context, outdir, commit, region, ...props } = given;
  const app = new App({
    builtinCloudFormationValidation: checked,
    ...(context && { context }),
    ...(outdir && { outdir }),
  });
  const options = parseOptions(
    (name) => app.node.tryGetContext(name) ?? (name === "commit" ? commit : undefined),
    region,
  );
  const stack = new ReviewApiStack(app, { options, ...props });
  const modelRegion = options.bedrockRegion ?? region;
  if (modelRegion !== undefined && !embeddingRegions.includes(modelRegion))
    Annotations.of(stack).addWarningV2("review-api:embeddingRegion", noModelKnown(modelRegion));
  const silence = silenceOf(options);
  if (silence !== undefined) Annotations.of(stack).addWarningV2("review-api:alarmEmail", silence);
  if (checked) Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return { app, stack, options };
}

const noModelKnown = (region: string): string =>
  `Titan Text Embeddings v2 is not known to be in ${region}. Without it Learnings cannot be indexed. Set bedrockRegion ` +
  "to a region that has it, or run `npx --no-install review-api verify` after the deployment to see that it works.";
