import { createHash } from "node:crypto";
import { type FindingRecord, type FindingSeverity, findingSeverities } from "../contract/records-security.ts";
import type { Harvest } from "./read.ts";
import { weaknessOf } from "./weaknesses.ts";

/**
 * Findings as SARIF 2.1.0: one run per scanned repository, one rule per weakness. Made so that code scanning
 * shows them well: it groups by the rule, ranks by `security-severity`, and knows a finding again by rule, path
 * and `primaryLocationLineHash`.
 */
export const sarifLog = (harvests: readonly Harvest[]) => ({
  $schema: "https://json.schemastore.org/sarif-2.1.0.json",
  version: "2.1.0",
  runs: harvests.map(runOf),
});

const toolName = "AI security scan";
const sourceRoot = "%SRCROOT%";

/** Scores in the middle of the bands that code scanning cuts at 9, 7 and 4; levels are SARIF's three. */
const severities: Readonly<Record<FindingSeverity, { readonly score: string; readonly level: string }>> = {
  critical: { score: "9.5", level: "error" },
  high: { score: "8.0", level: "error" },
  medium: { score: "5.5", level: "warning" },
  low: { score: "2.0", level: "note" },
};

function runOf({ organization, repository, ledger, records }: Harvest) {
  const weaknesses = worstByWeakness(records);
  const ruleIndexes = new Map([...weaknesses.keys()].map((cwe, index) => [cwe, index]));
  const { newest, repositoryId } = ledger;
  return {
    tool: { driver: { name: toolName, rules: [...weaknesses].map(([cwe, worst]) => ruleOf(cwe, worst)) } },
    // Distinct for every repository, and the same at every upload: code scanning's category.
    automationDetails: { id: `ai-security-scan/${repositoryId}/` },
    versionControlProvenance: [
      {
        repositoryUri: new URL(repository.url).href,
        revisionId: newest.commitSha,
        mappedTo: { uriBaseId: sourceRoot },
      },
    ],
    originalUriBaseIds: { [sourceRoot]: { description: { text: "The root of the repository." } } },
    columnKind: "utf16CodeUnits",
    results: records.map((record) => ({
      ...resultOf(record, ruleIndexes.get(record.cwe) ?? 0),
      baselineState: baselineOf(record, newest),
    })),
    properties: {
      organization_id: organization.provider_organization_id,
      organization_name: organization.name,
      repository_id: repositoryId,
      repository_name: repository.full_name,
      scan_id: newest.scanId,
      completed_at: newest.completedAt,
    },
  };
}

/** Every weakness of the run with its worst severity, in the order of numbers; findings without one come last. */
function worstByWeakness(records: readonly FindingRecord[]): Map<string | null, FindingSeverity> {
  const worst = new Map<string | null, FindingSeverity>();
  // Worst first, so the first one met stays.
  for (const severity of findingSeverities)
    for (const { cwe } of records.filter((record) => record.severity === severity))
      if (!worst.has(cwe)) worst.set(cwe, severity);
  const numberOf = (cwe: string | null) => (cwe === null ? Number.POSITIVE_INFINITY : numberIn(cwe));
  return new Map([...worst].sort(([one], [other]) => (numberOf(one) < numberOf(other) ? -1 : 1)));
}

const numberIn = (cwe: string): number => Number(cwe.slice("CWE-".length));

const ruleIdOf = (cwe: string | null): string => cwe ?? "security-finding";

function ruleOf(cwe: string | null, worst: FindingSeverity) {
  const { name, meaning, remedy } = weaknessOf(cwe);
  const { score, level } = severities[worst];
  const page = cwe && `https://cwe.mitre.org/data/definitions/${numberIn(cwe)}.html`;
  const more = page ? `\n\nMore: ${page}` : "";
  const moreMarkdown = page ? `\n\nMore: [${cwe}](${page})` : "";
  return {
    id: ruleIdOf(cwe),
    name,
    shortDescription: { text: cwe ? `${name} (${cwe})` : name },
    fullDescription: { text: meaning },
    help: {
      text: `${meaning}\n\nWhat to do: ${remedy}${more}`,
      markdown: `${meaning}\n\n**What to do:** ${remedy}${moreMarkdown}`,
    },
    ...(page && { helpUri: page }),
    defaultConfiguration: { level },
    properties: {
      "security-severity": score,
      tags: ["security", ...(cwe ? [`external/cwe/cwe-${String(numberIn(cwe)).padStart(3, "0")}`] : [])],
    },
  };
}

function resultOf(record: FindingRecord, ruleIndex: number) {
  const { score, level } = severities[record.severity];
  return {
    ruleId: ruleIdOf(record.cwe),
    ruleIndex,
    level,
    message: { text: messageOf(record) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: relativeUri(record.file_path), uriBaseId: sourceRoot },
          region: { startLine: record.start_line, endLine: record.end_line },
        },
      },
    ],
    partialFingerprints: { primaryLocationLineHash: `${fingerprintOf(record.id)}:1` },
    // SARIF wants them on every result of a run or on none; an empty list says "not suppressed".
    suppressions:
      record.state === "dismissed"
        ? [{ kind: "external", status: "accepted", justification: "The finding was dismissed." }]
        : [],
    properties: {
      id: record.id,
      severity: record.severity,
      "security-severity": score,
      state: record.state,
      evidence: record.evidence,
      scan_id: record.scan_id,
      commit_sha: record.commit_sha,
      detected_at: record.detected_at,
      updated_at: record.updated_at,
    },
  };
}

/** Viewers short of room show the first sentence only. */
function messageOf({ title, description }: FindingRecord): string {
  const sentence = /[.!?]$/.test(title) ? title : `${title}.`;
  return description === "" ? sentence : `${sentence}\n\n${description}`;
}

/** Relative to the root whatever a scanner puts in front, and with every character that a URI does not take encoded. */
function relativeUri(filePath: string): string {
  const path = filePath.replace(/^(?:\.?\/)+/, "");
  return path.split("/").map(encodeURIComponent).join("/");
}

/** Of the finding's identity alone: code that moves to another line keeps its alert. */
const fingerprintOf = (id: string): string => createHash("sha256").update(id).digest("hex").slice(0, 16);

/** Against all scans before the newest. On every result of a run, as SARIF wants it. */
function baselineOf(
  record: FindingRecord,
  newest: Harvest["ledger"]["newest"],
): "absent" | "new" | "unchanged" {
  const isPresent = record.scan_id === newest.scanId && record.updated_at === newest.completedAt;
  if (record.state === "fixed" || !isPresent) return "absent";
  return record.detected_at === newest.completedAt ? "new" : "unchanged";
}
