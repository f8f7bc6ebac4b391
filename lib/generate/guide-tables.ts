import { keyKinds } from "../contract/access.ts";
import { auditActionMeanings, auditActionNames } from "../contract/audit.ts";
import {
  auditLimits,
  eventLimits,
  keyLimits,
  learningLimits,
  pageLimits,
  peopleLimits,
  requestLimits,
  securityLimits,
} from "../contract/limits.ts";
import type { Operation } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import { operationOfType, webhookTypeMeanings, webhookTypes } from "../contract/webhooks.ts";
import { markdownTable, withParts } from "./marked-parts.ts";

/** The tables that are generated from the contract, by page: each is between two marks with its name. */
const tables: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  "docs/use/keys.md": { operations: operationsTable },
  "docs/use/audit-log.md": { actions: actionsTable },
  "docs/use/webhooks.md": { rings: ringsTable },
  "docs/use/limits.md": { limits: limitsTable },
};

/** The pages of the guide with their tables, by path. */
export const pagesWithTables = (read: (path: string) => string): ReadonlyArray<readonly [string, string]> =>
  Object.entries(tables).map(([path, parts]) => [path, withParts(read(path), parts)] as const);

const table = markdownTable;

function ringsTable(): string {
  return table(
    ["Type", "It is delivered when", "The receiver calls"],
    webhookTypes.map((type) => [`\`${type}\``, webhookTypeMeanings[type], `\`${operationOfType(type)}\``]),
  );
}

const verdicts = { accepted: "yes", forbidden: "403", gone: "410" } as const;
const shownKinds = keyKinds.filter((kind) => kind !== "agentic");

function operationsTable(): string {
  const heads = [
    "Operation",
    ...shownKinds,
    "workspace's `org_id`",
    "needs",
    "`only`",
    "limit",
    "counted for",
  ];
  return table(
    heads,
    operations.map((operation: Operation) => [
      `${operation.method} ${operation.path}`,
      ...shownKinds.map((kind) => verdicts[operation.keys[kind]]),
      operation.keys.workspace === "accepted" ? operation.organization : "–",
      needsOf(operation),
      operation.only ? `\`${operation.only}\`` : "–",
      limitOf(operation),
      `${owners[operation.rateLimit.owner]}${operation.endsItself ? "; of itself: not counted" : ""}`,
    ]),
  );
}

const owners = {
  quota: "organization, workspace or instance",
  organization: "organization",
  key: "key",
} as const;

function needsOf({ needs, needsOfKind, plan, gates = [], reach = "" }: Operation): string {
  const words = [
    plan === "any" ? "every plan" : "",
    gates.includes("self_hosted") ? "self-hosted" : "",
    reach,
    needs === "admin" ? "Admin" : needs === null ? "" : `\`${needs}\``,
    ...Object.entries(needsOfKind ?? {}).map(([kind, permission]) => `\`${permission}\` (${kind} keys)`),
  ];
  return words.filter(Boolean).join(", ");
}

/** Operations of one bucket share one window. A row says nothing about other rows: a new operation changes none. */
const limitOf = ({ rateLimit: { bucket, requestsMax, windowSeconds } }: Operation): string =>
  `${requestsMax} in ${windowSeconds} s (${bucket})`;

function actionsTable(): string {
  const rows = auditActionNames.map((name) => [`\`${name}\``, auditActionMeanings[name]]);
  return table(["Action", "What happened"], rows);
}

const mebibytes = (bytes: number): string => `${bytes / 1024 / 1024} MiB`;
const count = (number: number): string => number.toLocaleString("en-US");

function limitsTable(): string {
  const { metrics, learnings, findings, users, keys, auditLogs, organizations, repositories } = pageLimits;
  const smaller = new Set([users, keys, auditLogs, organizations, repositories].map(({ max }) => max));
  return table(
    ["What", "Limit"],
    [
      [
        "a page of pull requests, Learnings or findings",
        [...new Set([metrics.max, learnings.max, findings.max])].map(count).join(", "),
      ],
      [
        "a page of users, teams, keys, audit logs, organizations, repositories or deliveries",
        [...smaller].map(count).join(", "),
      ],
      [
        "a response",
        `${mebibytes(requestLimits.responseBytesMax)} before compression; ask for \`gzip\` or \`br\``,
      ],
      [
        "a body",
        `${mebibytes(requestLimits.bodyBytesMax)}; ${mebibytes(requestLimits.learningsBodyBytesMax)} for \`POST /v1/learnings\``,
      ],
      [
        "values of a list filter",
        `${requestLimits.listValuesMax}; ${requestLimits.auditFilterValuesMax} for \`actions\` and \`resource_types\``,
      ],
      [
        "Learnings in one request",
        `${learningLimits.batchItemsMax}, each of ${count(learningLimits.textCharactersMax)} characters`,
      ],
      ["people in one request", count(peopleLimits.batchUsersMax)],
      ["custom roles of an organization", count(peopleLimits.customRolesMax)],
      ["findings in one CSV or SARIF download", count(securityLimits.downloadFindingsMax)],
      [
        "life of a workspace token",
        `${keyLimits.tokenExpiryDaysMin} to ${keyLimits.tokenExpiryDaysMax} days`,
      ],
      [
        "audit entries are kept",
        `${auditLimits.retentionDaysDefault} days, unless the operator chose another time`,
      ],
      ["approval delay of Learnings", `0 to ${eventLimits.approvalDelayDaysMax} days`],
    ],
  );
}
