import * as z from "zod";
import { auditLimits } from "../lib/contract/limits.ts";
import { mcpSource } from "../lib/contract/mcp.ts";
import { operations } from "../lib/contract/operations.ts";
import { embeddingModelId, eventQueueSettings, lambdaLimits, serviceTag } from "../lib/contract/platform.ts";
import { ingest, internalFunctions, workers } from "../lib/contract/workers.ts";

/**
 * The options of a deployment, set by CDK context: `cdk deploy -c stage=live -c corsOrigins=https://a.example`. The
 * command line passes text; cdk.json may also contain real booleans, numbers, lists and maps.
 */

const text = (pattern: RegExp, error: string) => z.string().regex(pattern, { error });

const switchOption = z.preprocess(
  (value) => (value === "true" ? true : value === "false" ? false : value),
  z.boolean({ error: "must be true or false" }),
);

const listOption = <Element extends z.ZodType>(element: Element) =>
  z.preprocess(
    (value) => (typeof value === "string" ? value.split(",").map((part) => part.trim()) : value),
    z.array(element, { error: "must be a comma-separated list" }).min(1, { error: "must not be empty" }),
  );

/** A map of names, on the command line as `name=value,name=value`. */
const mapOption = <Value extends z.ZodType>(name: z.ZodString, value: Value, error: string) =>
  z.preprocess(
    (given) => (typeof given === "string" ? Object.fromEntries(given.split(",").map(nameAndText)) : given),
    z.record(name, value, { error }),
  );

function nameAndText(part: string): [string, string] {
  const [name = "", ...rest] = part.split("=");
  return [name.trim(), rest.join("=").trim()];
}

const numberOption = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.preprocess(
    (value) => (typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value),
    z.int({ error }).min(min, { error }).max(max, { error }),
  );
};

const origin = z.string().refine((value) => value === "*" || isOrigin(value), {
  error: "must be an origin such as https://app.example.com, or *",
});

function isOrigin(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && ["https:", "http:"].includes(url.protocol) && url.origin === value;
}

/** Headers that already have a meaning between the caller and the function. */
const takenHeaders = [
  "x-service-api-key",
  "host",
  "content-type",
  "content-length",
  "cookie",
  "x-request-id",
];

const headerName = z
  .string()
  .transform((value) => value.toLowerCase())
  .refine((value) => /^[a-z0-9-]{1,64}$/.test(value), {
    error: "must be a header name of 1 to 64 letters, digits and hyphens",
  })
  .refine((value) => !takenHeaders.includes(value), {
    error: "must not be a header with a meaning of its own",
  });

const functionIds: readonly string[] = [
  ...[...operations, ...workers, ...internalFunctions].map(({ id }) => id),
  mcpSource,
];
const reservableMax = lambdaLimits.concurrencyMax - lambdaLimits.concurrencyUnreservedMin;

const reservedConcurrency = mapOption(
  z.string(),
  numberOption(1, reservableMax),
  "must be a list such as ingest=20,listOrganizations=50",
)
  .refine((reserved) => Object.keys(reserved).every((id) => functionIds.includes(id)), {
    error: `must name functions out of: ${functionIds.join(", ")}`,
  })
  .refine((reserved) => Object.values(reserved).reduce((sum, count) => sum + count, 0) <= reservableMax, {
    error: `must leave ${lambdaLimits.concurrencyUnreservedMin} of the account's ${lambdaLimits.concurrencyMax} unreserved`,
  });

const tags = mapOption(
  text(/^(?!aws:)[\w .:/=+@-]{1,128}$/i, "must be a tag's key, without aws: before it"),
  text(/^[\w .:/=+@-]{0,256}$/, "must be a tag's value of at most 256 characters"),
  "must be a list such as team=reviews,costCenter=42, with no key that begins with aws:",
);

const fields = z.object({
  /** Name of the CloudFormation stack; one account can have several. */
  stackName: text(
    /^[A-Za-z][A-Za-z0-9-]{0,63}$/,
    "must be 1 to 64 letters, digits and hyphens, a letter first",
  ).default("ReviewApi"),
  stage: text(/^\w{1,64}$/, "must be 1 to 64 letters, digits and underscores").default("live"),
  domainName: z.hostname({ error: "must be a host name such as api.example.com" }).optional(),
  certificateArn: text(
    /^arn:[\w-]+:acm:/,
    "must be the ARN of an ACM certificate in the stack's region",
  ).optional(),
  /** The path of the domain at which the API is; the root by default. */
  basePath: text(
    /^[A-Za-z0-9._-]{1,64}$/,
    "must be one path segment of 1 to 64 letters, digits, dots, hyphens and underscores",
  ).optional(),
  /** If true, only the domain answers; API Gateway's own address does not. */
  disableExecuteApiEndpoint: switchOption.default(false),
  /** If given, the stack also creates the domain's alias records, for IPv4 and IPv6. */
  hostedZoneId: text(/^Z[A-Z0-9]+$/, "must be a Route 53 hosted zone id").optional(),
  corsOrigins: listOption(origin).optional(),
  keyHeaderNames: listOption(headerName).optional(),
  waf: switchOption.default(false),
  customerManagedKey: switchOption.default(false),
  alarmEmail: z.email({ error: "must be an e-mail address" }).optional(),
  /** A topic that somebody else owns, of a pager or a chat; its owner lets CloudWatch publish to it. */
  alarmTopicArn: text(
    /^arn:[\w-]+:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/,
    "must be the ARN of a standard SNS topic in the stack's region",
  ).optional(),
  auditRetentionDays: numberOption(1, 3_650).default(auditLimits.retentionDaysDefault),
  bedrockModelId: text(
    /^amazon\.titan-embed-text-v2:[\w:]{1,100}$/,
    "must begin with amazon.titan-embed-text-v2: the service speaks to no other embedding model",
  ).default(embeddingModelId),
  bedrockRegion: text(/^[a-z]{2}(-[a-z]+)+-\d$/, "must be an AWS region such as eu-west-1").optional(),
  reservedConcurrency: reservedConcurrency.default({}),
  /** Batches of events that are applied at the same time. A new account can run ten functions in total. */
  eventWorkers: numberOption(eventQueueSettings.workersMin, eventQueueSettings.workersMax).default(
    eventQueueSettings.workers,
  ),
  /** API Gateway has one logging role per account: an account that already has one keeps it. */
  apiGatewayLogRole: switchOption.optional(),
  /** A stack of a developer or a pull request: deleting it deletes its data too. */
  ephemeral: switchOption.default(false),
  /** A restored table that the stack uses instead of its own, which it keeps. */
  tableName: text(/^[\w.-]{3,255}$/, "must be the name of a DynamoDB table in the stack's region").optional(),
  /** On the stack, from which CloudFormation copies them to every resource that can have tags. */
  tags: tags.default({}),
  /** Other accounts whose roles may send events and invoke the search. */
  platformAccounts: listOption(text(/^\d{12}$/, "must be an AWS account id of twelve digits")).optional(),
  pointInTimeRecovery: switchOption.default(true),
  /** X-Ray traces of requests; each is charged. */
  tracing: switchOption.default(false),
  /** An output of the stack; `infra/app.ts` passes the commit of the checkout. */
  commit: text(/^[\w.-]{1,64}$/, "must be 1 to 64 letters, digits, dots, hyphens and underscores").optional(),
});

const optionsSchema = fields
  .refine(({ domainName, certificateArn }) => (domainName === undefined) === (certificateArn === undefined), {
    path: ["domainName"],
    error: "goes together with certificateArn: give both or neither",
  })
  .refine(({ domainName, hostedZoneId }) => hostedZoneId === undefined || domainName !== undefined, {
    path: ["hostedZoneId"],
    error: "is for the record of domainName, which is missing",
  })
  .refine(({ domainName, basePath }) => basePath === undefined || domainName !== undefined, {
    path: ["basePath"],
    error: "is a path of domainName, which is missing",
  })
  .refine(
    ({ domainName, disableExecuteApiEndpoint }) => !disableExecuteApiEndpoint || domainName !== undefined,
    {
      path: ["disableExecuteApiEndpoint"],
      error: "needs domainName: without a domain nothing would answer",
    },
  )
  .refine(({ ephemeral, apiGatewayLogRole }) => !(ephemeral && apiGatewayLogRole), {
    path: ["apiGatewayLogRole"],
    error:
      "must not be true if ephemeral is: the role would be deleted with the stack, for every API of the account",
  })
  .refine(({ ephemeral, tableName }) => !ephemeral || tableName === undefined, {
    path: ["tableName"],
    error: "must not be set if ephemeral is true: the stack would write into the table of another one",
  })
  .transform((options) => ({
    ...options,
    apiGatewayLogRole: options.apiGatewayLogRole ?? !options.ephemeral,
  }))
  // Lambda's poller takes as many batches as it may; a smaller function rejects some, and each counts as a receive.
  .refine(
    ({ reservedConcurrency: reserved, eventWorkers }) =>
      (reserved[ingest.id] ?? Number.POSITIVE_INFINITY) >= eventWorkers,
    {
      path: ["reservedConcurrency"],
      error: ({ input }) =>
        `must give ${ingest.id} at least ${Reflect.get(Object(input), "eventWorkers")}: its queue hands it that many batches at once`,
    },
  );

export type StackOptions = z.output<typeof optionsSchema>;

/** The tags of the stack: every resource that can have tags has these. */
export const stackTags = ({ tags: chosen }: Pick<StackOptions, "tags">): Record<string, string> => ({
  ...chosen,
  service: serviceTag,
});

/** What `synth` and `preflight` say of a stack whose alarms nobody hears; undefined of any other. */
export const silenceOf = ({ alarmEmail, alarmTopicArn, ephemeral }: StackOptions): string | undefined =>
  (alarmEmail ?? alarmTopicArn) === undefined && !ephemeral
    ? "Nobody hears the alarms: they have no receiver. Set alarmEmail to an address that somebody reads, or alarmTopicArn."
    : undefined;

export class InvalidOptions extends Error {
  override readonly name = "InvalidOptions";
}

export const stackOptionNames: readonly string[] = Object.keys(fields.shape);

/**
 * Reads every option from the context; the error lists each invalid option and its allowed values. `region` is the stack's;
 * without it nothing is compared with it.
 */
export function parseOptions(context: (name: string) => unknown, region?: string): StackOptions {
  const given = Object.fromEntries(
    stackOptionNames.map((name) => [name, context(name)]).filter(([, value]) => value !== undefined),
  );
  const parsed = optionsSchema.safeParse(given);
  const problems = parsed.success
    ? foreignTopic(parsed.data, region)
    : parsed.error.issues.map(({ path, message }) => `  ${path.join(".")} ${message}`);
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new InvalidOptions(`The stack's options are not valid:\n${problems.join("\n")}`);
}

/** CloudWatch refuses such a topic only in the deployment. */
function foreignTopic({ alarmTopicArn }: StackOptions, region: string | undefined): readonly string[] {
  const topicRegion = alarmTopicArn?.split(":")[3];
  return topicRegion === undefined || region === undefined || topicRegion === region
    ? []
    : [`  alarmTopicArn must be in the stack's region ${region}, not in ${topicRegion}`];
}
