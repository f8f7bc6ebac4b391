import * as z from "zod";
import { pageLimits, requestLimits, securityLimits } from "../limits.ts";
import { noLegacyKey, operation } from "../operation.ts";
import {
  choice,
  choicesParameter,
  identifier,
  organizationSelector,
  organizationsFilter,
  pageParameters,
} from "../parameters.ts";
import { pageAnswer, pageWords } from "../records.ts";
import { findingRecord, findingSeverities, findingStates } from "../records-security.ts";

const { findings } = pageLimits;

const severities = choicesParameter(findingSeverities, requestLimits.listValuesMax);

/** CSV and SARIF are whole files: they have no page size and no cursor. */
const pagedOnly = ["limit", "cursor"] as const;

export const listSecurityFindings = operation({
  id: "listSecurityFindings",
  source: "security/findings",
  method: "GET",
  path: "/v1/security/scans/code",
  tag: "Security",
  only: "security:read",
  summary: "Read or download the findings of AI security scans",
  description:
    "A finding keeps its `id` across scans. It is `fixed` when the newest scan of the repository does not report it. A " +
    "dismissed finding stays dismissed when a scan repeats it. JSON comes in pages, in an order that new scans do not " +
    `change. \`format=csv\` and \`format=sarif\` are whole downloads of up to ${securityLimits.downloadFindingsMax} ` +
    "findings, without `limit` and `cursor`. SARIF has a run for every scanned repository: with `repo_id` it keeps " +
    "to the limits of GitHub's code scanning; without it, do not upload the file. Where more than " +
    `${securityLimits.sarifRunsPerFileMax} organizations of an instance have the repository id, SARIF is a 413: name some of ` +
    "them in `organization_ids`. Findings of inactive repositories are left out. " +
    "[A workflow that uploads them](docs/jobs/code-scanning).",
  query: z
    .strictObject({
      repo_id: identifier.optional().describe("Only this repository, by the Git provider's id."),
      state: choice([...findingStates, "all"])
        .default("open")
        .describe("Only findings in this state."),
      severity: severities.optional().describe("Only findings of these severities."),
      ...pageParameters(findings),
      format: choice(["json", "csv", "sarif"])
        .default("json")
        .describe(
          "The format of the response. CSV and SARIF return everything at once, without `limit` and `cursor`.",
        ),
      ...organizationSelector,
      ...organizationsFilter,
    })
    .superRefine((query, context) => {
      for (const name of pagedOnly)
        if (query.format !== "json" && query[name] !== undefined)
          context.addIssue({
            code: "custom",
            path: [name],
            message: `must not be sent with format=${query.format}, which is a whole download`,
          });
    }),
  answer: pageAnswer("One page of findings, or all of them as CSV or SARIF", {
    data: z.array(findingRecord).describe(pageWords),
  }),
  keys: { ...noLegacyKey, workspace: "forbidden" },
  plan: "any",
  needs: "security:read",
  organization: "ignored",
  instanceScope: "authorized",
  rateLimit: { bucket: "security", requestsMax: 60, windowSeconds: 60, owner: "quota" },
  paging: { bindsPageSize: false, resumable: false, defaultSize: findings.default },
  downloads: ["csv", "sarif"],
  streaming: true,
  reads: { getMany: ["scans", "findings"], query: ["scans", "findings"] },
  errors: ["RESPONSE_TOO_LARGE"],
  narrowing: "Narrow with repo_id, state or severity, or read JSON pages with a smaller limit.",
});
