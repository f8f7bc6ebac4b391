/**
 * The closed lists of the metrics. This file has no schemas, so that a page in a browser can import it too. CSV columns
 * and the codes in stored entries have the same order: only append.
 */
export const severities = ["critical", "major", "minor", "trivial", "info"] as const;
export const categories = [
  "data_integrity_and_integration",
  "functional_correctness",
  "maintainability_and_code_quality",
  "performance_and_scalability",
  "security_and_privacy",
  "stability_and_availability",
] as const;
export type Severity = (typeof severities)[number];
export type Category = (typeof categories)[number];
