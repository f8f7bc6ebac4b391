import { createHash } from "node:crypto";
import { repositoryAddress } from "../contract/addresses.ts";
import { securityLimits } from "../contract/limits.ts";
import { type FindingRecord, type FindingSeverity, findingSeverities } from "../contract/records-security.ts";
import { required } from "../runtime/required.ts";
import type { RepositoryFindings } from "./read-findings.ts";
import { weaknessOf } from "./weaknesses.ts";

/**
 * Findings as SARIF 2.1.0: one run per scanned repository (several if it has more results than code scanning accepts in
 * one), one rule per weakness and severity. The output fits code scanning, which groups by rule, ranks by the rule's
 * `security-severity`, and recognizes a finding by rule, path and `primaryLocationLineHash`.
 */
export const sarifLog = (harvests: readonly RepositoryFindings[]) => ({
  $schema: "https://json.schemastore.org/sarif-2.1.0.json",
  version: "2.1.0",
  runs: harvests.flatMap((harvest) =>
    partsOf(harvest.records).map((records, index) => runOf({ ...harvest, records }, index + 1)),
  ),
});

/** At least one part, even without records: an upload without results closes open alerts. */
function partsOf(records: readonly FindingRecord[]): ReadonlyArray<readonly FindingRecord[]> {
  const { sarifResultsPerRunMax: most } = securityLimits;
  const count = Math.max(1, Math.ceil(records.length / most));
  return Array.from({ length: count }, (_, index) => records.slice(index * most, (index + 1) * most));
}

const toolName = "AI security scan";
const sourceRoot = "%SRCROOT%";

/** Scores in the middle of code scanning's bands, which start at 9, 7 and 4; the levels are SARIF's three. */
const severities: Readonly<Record<FindingSeverity, { readonly score: string; readonly level: string }>> = {
  critical: { score: "9.5", level: "error" },
  high: { score: "8.0", level: "error" },
  medium: { score: "5.5", level: "warning" },
  low: { score: "2.0", level: "note" },
};

function runOf({ organization, repository, ledger, records }: RepositoryFindings, part: number) {
  const rules = rulesOf(records);
  const ruleIndexes = new Map(rules.map(({ id }, index) => [id, index]));
  const { newest, repositoryId } = ledger;
  return {
    tool: { driver: { name: toolName, rules } },
    automationDetails: { id: categoryOf(organization.provider_organization_id, repositoryId, part) },
    versionControlProvenance: [
      {
        repositoryUri: new URL(repositoryAddress(repository.url)).href,
        revisionId: newest.commitSha,
        mappedTo: { uriBaseId: sourceRoot },
      },
    ],
    originalUriBaseIds: { [sourceRoot]: { description: { text: "The root of the repository." } } },
    columnKind: "utf16CodeUnits",
    results: records.map((record) => ({
      ...resultOf(record, required(ruleIndexes.get(ruleIdOf(record)), "rule of a finding")),
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

/** Different for every run of a file, the same at every upload. Organizations may share repository ids. */
function categoryOf(organizationId: string, repositoryId: string, part: number): string {
  const names = [organizationId, repositoryId].map(encodeURIComponent);
  return ["ai-security-scan", ...names, ...(part === 1 ? [] : [String(part)]), ""].join("/");
}

/** In the order of CWE numbers; findings without a CWE are last. */
function rulesOf(records: readonly FindingRecord[]) {
  const numberOf = (cwe: string | null) => (cwe === null ? Number.POSITIVE_INFINITY : numberIn(cwe));
  const rankOf = (severity: FindingSeverity) => findingSeverities.indexOf(severity);
  const met = new Map(records.map((record) => [ruleIdOf(record), record]));
  return [...met.values()]
    .toSorted(
      (one, other) =>
        Math.sign(numberOf(one.cwe) - numberOf(other.cwe)) || rankOf(one.severity) - rankOf(other.severity),
    )
    .map(ruleOf);
}

const numberIn = (cwe: string): number => Number(cwe.slice("CWE-".length));

/** With the severity: code scanning ranks by rule, so a low finding must not share a rule with a critical one. */
const ruleIdOf = ({ cwe, severity }: Pick<FindingRecord, "cwe" | "severity">): string =>
  `${cwe ?? "security-finding"}/${severity}`;

function ruleOf({ cwe, severity }: Pick<FindingRecord, "cwe" | "severity">) {
  const { name, meaning, remedy } = weaknessOf(cwe);
  const { score, level } = severities[severity];
  const page = cwe && `https://cwe.mitre.org/data/definitions/${numberIn(cwe)}.html`;
  const more = page ? `\n\nMore: ${page}` : "";
  const moreMarkdown = page ? `\n\nMore: [${cwe}](${page})` : "";
  return {
    id: ruleIdOf({ cwe, severity }),
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
    ruleId: ruleIdOf(record),
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
    // SARIF requires suppressions on every result of a run or on none; an empty list means "not suppressed".
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

/** Viewers with little space show only the first sentence. */
function messageOf({ title, description }: FindingRecord): string {
  const sentence = /[.!?]$/.test(title) ? title : `${title}.`;
  return escaped(description === "" ? sentence : `${sentence}\n\n${description}`);
}

/** Unescaped braces are placeholders and brackets are links (SARIF 2.1.0, sections 3.11.5 and 3.11.6). */
const escaped = (text: string): string =>
  text
    .replaceAll("{", "{{")
    .replaceAll("}", "}}")
    // Matches every run of backslashes as a whole, so that a long run is not searched again from each position.
    .replace(/\\+[[\]]?|[[\]]/g, escapedBracket);

/** Backslashes are escapes only before a bracket. */
const escapedBracket = (found: string): string =>
  found.endsWith("\\") ? found : `${found.slice(0, -1).repeat(2)}\\${found.slice(-1)}`;

/**
 * A path inside the repository, whatever prefix a scanner uses, with every character encoded that a URI does not allow.
 * A path that leads out of the root, and so is not a path of the repository, is kept below the root.
 */
function relativeUri(filePath: string): string {
  const steps: string[] = [];
  for (const step of filePath.split(/[\\/]/)) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  return steps.length > 0 ? steps.map(encodeURIComponent).join("/") : "unknown";
}

/** Uses only the finding's id: code that moves to another line keeps its alert. */
const fingerprintOf = (id: string): string => createHash("sha256").update(id).digest("hex").slice(0, 16);

/** Compares with all scans before the newest. Every result of a run has it, as SARIF requires. */
function baselineOf(
  record: FindingRecord,
  newest: RepositoryFindings["ledger"]["newest"],
): "absent" | "new" | "unchanged" {
  const isPresent = record.scan_id === newest.scanId && record.updated_at === newest.completedAt;
  if (record.state === "fixed" || !isPresent) return "absent";
  return record.detected_at === newest.completedAt ? "new" : "unchanged";
}
