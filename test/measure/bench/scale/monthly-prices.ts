/** A list price for us-east-1, and the page that states it. Without a page it is not proven. */
export type SourcedPrice = {
  readonly dollars: number;
  readonly unit: string;
  readonly source: string | undefined;
};

const price = (dollars: number, unit: string, source?: string): SourcedPrice => ({ dollars, unit, source });

const agentToolkit = "https://github.com/aws/agent-toolkit-for-aws (DynamoDB, vector search)";

/** Monthly prices, and prices that the cost benchmark does not contain. */
export const monthlyPrices = {
  alarmOfOneMetric: price(
    0.1,
    "a metric that an alarm reads, a month",
    "https://c3x.dev/resources/aws/aws_cloudwatch_metric_alarm",
  ),
  provisionedGigabyteSecond: price(
    0.000_003_333_4,
    "a GB-second of provisioned concurrency, arm64",
    "https://aws.amazon.com/lambda/pricing/",
  ),
  dashboard: price(
    3,
    "a dashboard, a month",
    "https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/",
  ),
  customMetric: price(
    0.3,
    "a custom metric, a month (the first 10,000)",
    "https://signoz.io/guides/cloudwatch-pricing",
  ),
  encryptionKey: price(
    1,
    "a KMS key, a month; its first and its second rotation add the same amount each",
    "https://aws.amazon.com/kms/pricing/",
  ),
  firewall: price(5, "a web ACL, a month", "https://c3x.dev/blog/aws-waf-cost-explained/"),
  firewallRule: price(
    1,
    "a rule or managed group of a web ACL, a month",
    "https://c3x.dev/blog/aws-waf-cost-explained/",
  ),
  firewallRequestsMillion: price(
    0.6,
    "a million requests that the firewall looks at",
    "https://c3x.dev/blog/aws-waf-cost-explained/",
  ),
  tracesMillion: price(5, "a million X-Ray traces", "https://aws.amazon.com/de/xray/pricing/"),
  embeddingTokensMillion: price(
    0.02,
    "a million tokens embedded by Titan Text Embeddings v2",
    "https://aws.amazon.com/bedrock/pricing/",
  ),
  vectorGigabyteWritten: price(0.52, "a GB written to the vector index, at least 1 KB a write", agentToolkit),
  vectorGigabyteSearched: price(0.002, "a GB that searches of the vector index examine", agentToolkit),
  vectorGigabyteMonth: price(0.25, "a GB in the vector index, a month", agentToolkit),
} as const satisfies Record<string, SourcedPrice>;

export const priceTable = () =>
  Object.values(monthlyPrices).map(({ dollars, unit, source }: SourcedPrice) => ({
    price: unit,
    $: dollars < 0.001 ? dollars.toFixed(10) : dollars.toFixed(dollars < 0.01 ? 3 : 2),
    "found at": source ?? "not found: **unproven**",
  }));
