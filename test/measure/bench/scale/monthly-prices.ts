/** A list price for us-east-1, and the page that states it. Without a page it is not proven. */
export type SourcedPrice = {
  readonly dollars: number;
  readonly unit: string;
  readonly source: string | undefined;
};

const price = (dollars: number, unit: string, source?: string): SourcedPrice => ({ dollars, unit, source });

/** Monthly prices, and prices that the cost benchmark does not contain. */
export const monthlyPrices = {
  alarmOfOneMetric: price(
    0.1,
    "a metric that an alarm reads, a month",
    "https://c3x.dev/resources/aws/aws_cloudwatch_metric_alarm",
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
} as const satisfies Record<string, SourcedPrice>;

export const priceTable = () =>
  Object.values(monthlyPrices).map(({ dollars, unit, source }: SourcedPrice) => ({
    price: unit,
    $: dollars.toFixed(2),
    "found at": source ?? "not found: **unproven**",
  }));
