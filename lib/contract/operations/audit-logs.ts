import * as z from "zod";
import { auditActionNames, auditResourceTypes } from "../audit.ts";
import { pageLimits, requestLimits } from "../limits.ts";
import { noLegacyKey, operation } from "../operation.ts";
import {
  choice,
  choicesParameter,
  formatWords,
  instantParameter,
  listParameter,
  organizationSelector,
  organizationsFilter,
  pageParameters,
  text,
} from "../parameters.ts";
import { pageAnswer, pageWords } from "../records.ts";
import { auditRecord } from "../records-audit.ts";

const { auditLogs } = pageLimits;

export const listAuditLogs = operation({
  id: "listAuditLogs",
  source: "audit-logs/list",
  method: "GET",
  path: "/v1/audit-logs",
  tag: "Audit logs",
  only: "audit_logs:read",
  summary: "Read what changed, who changed it, and which keys were refused",
  description:
    "Newest first unless `order=asc`. In ascending order the last page carries `x-resume-cursor`: send it later as `cursor` " +
    "to read only new entries. Entries may repeat, but none is missed: keep one per `id`. " +
    "[What each action means](docs/audit-log#actions), [entries in a SIEM](docs/jobs/siem).",
  query: z
    .strictObject({
      actions: choicesParameter(auditActionNames, requestLimits.auditFilterValuesMax)
        .optional()
        .describe("Only these actions."),
      resource_types: choicesParameter(auditResourceTypes, requestLimits.auditFilterValuesMax)
        .optional()
        .describe("Only entries about these types of things."),
      user_ids: listParameter(requestLimits.listValuesMax)
        .optional()
        .describe(
          "Only what these people did (`actor.id`), by the Git provider's user ids. For what was done to a person, use `search`.",
        ),
      search: text(1, requestLimits.searchCharactersMax)
        .optional()
        .describe(
          "Only entries that have all of these words, as parts of words too, in any letter case, in: `action`, `summary`, the actor's " +
            "`name`, `id` and `key_id`, `resource_id`, `organization_id`, `request_id`, `ip_address`, and the texts in `metadata`. " +
            "A page may be short or empty and still have a `next_cursor`: follow it.",
        ),
      date_from: instantParameter("start").optional().describe("From this day (UTC) or instant on."),
      date_to: instantParameter("end")
        .optional()
        .describe("Up to this day (UTC) or instant, inclusive; not before `date_from`."),
      order: choice(["desc", "asc"]).default("desc").describe("Newest first, or oldest first."),
      ...pageParameters(auditLogs),
      format: choice(["json", "csv", "ndjson"]).optional().describe(formatWords),
      ...organizationSelector,
      ...organizationsFilter,
    })
    .refine(
      // A wrong instant is NaN, and is reported on its own.
      ({ date_from, date_to }) => date_from === undefined || date_to === undefined || !(date_from > date_to),
      { error: "must not be before date_from", path: ["date_to"] },
    ),
  answer: pageAnswer("One page of entries", { data: z.array(auditRecord).describe(pageWords) }),
  keys: noLegacyKey,
  plan: "enterprise",
  needs: "admin",
  organization: "optional",
  instanceScope: "authorized",
  rateLimit: { bucket: "audit-logs", requestsMax: 60, windowSeconds: 60, owner: "quota" },
  paging: { bindsPageSize: false, resumable: true, waitsForLogs: true, defaultSize: auditLogs.default },
  reads: { query: ["audit"] },
});
