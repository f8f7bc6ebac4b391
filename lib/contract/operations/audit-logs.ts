import * as z from "zod";
import { auditActionNames, auditResourceTypes } from "../audit.ts";
import { pageLimits, requestLimits } from "../limits.ts";
import { noLegacyKey, operation } from "../operation.ts";
import {
  choice,
  choicesParameter,
  instantParameter,
  listParameter,
  organizationSelector,
  organizationsFilter,
  pageParameters,
  text,
} from "../parameters.ts";
import { pageAnswer } from "../records.ts";
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
      actions: choicesParameter(auditActionNames, requestLimits.auditFilterValuesMax).optional(),
      resource_types: choicesParameter(auditResourceTypes, requestLimits.auditFilterValuesMax).optional(),
      user_ids: listParameter(requestLimits.listValuesMax).optional(),
      search: text(1, requestLimits.searchCharactersMax).optional(),
      date_from: instantParameter("start").optional(),
      date_to: instantParameter("end").optional(),
      order: choice(["desc", "asc"]).default("desc"),
      ...pageParameters(auditLogs),
      format: choice(["json", "csv", "ndjson"]).optional(),
      ...organizationSelector,
      ...organizationsFilter,
    })
    .refine(
      // A wrong instant is NaN, and is reported on its own.
      ({ date_from, date_to }) => date_from === undefined || date_to === undefined || !(date_from > date_to),
      { error: "must not be before date_from", path: ["date_to"] },
    ),
  answer: pageAnswer("One page of entries", { data: z.array(auditRecord) }),
  keys: noLegacyKey,
  plan: "enterprise",
  needs: "admin",
  organization: "optional",
  instanceScope: "authorized",
  rateLimit: { bucket: "audit-logs", requestsMax: 60, windowSeconds: 60, owner: "quota" },
  paging: { bindsPageSize: false, resumable: true, waitsForLogs: true, defaultSize: auditLogs.default },
  reads: { query: ["audit"] },
});
