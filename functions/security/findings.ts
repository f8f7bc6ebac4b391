import { listSecurityFindings as operation } from "../../lib/contract/operations/security.ts";
import { findingSeverities, findingStates } from "../../lib/contract/records-security.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { positionText } from "../../lib/http/cursors.ts";
import { listResult } from "../../lib/http/list.ts";
import { bytesResult } from "../../lib/http/operation-result.ts";
import { readDownload, readFindings } from "../../lib/security/read-findings.ts";
import { findingColumns } from "../../lib/security/record.ts";
import { positionFrom, positionName } from "../../lib/security/sources.ts";
import { checkUploadable } from "../../lib/security/uploadable.ts";

/**
 * With its names of weaknesses, this is an eighth of our own code here: only the first download that needs it loads it.
 */
const loadSarif = () => import("../../lib/security/sarif.ts");

export const handler = createHandler(operation, async ({ scope, input, paging, table, signal }) => {
  const { repo_id, state, severity, format } = input.query;
  const reading = { table, signal, narrowing: operation.narrowing };
  const query = {
    organizations: scope.organizations,
    repositoryId: repo_id,
    states: state === "all" ? findingStates : [state],
    severities: severity ?? findingSeverities,
  };
  if (format === "json") {
    const after = positionFrom(positionText(paging));
    const { records, next } = await readFindings(reading, query, { after, limit: paging.pageSize });
    const nextCursor = next && paging.next(positionName(next));
    return listResult({ format, records, columns: findingColumns, nextCursor });
  }
  const harvests = await readDownload(reading, query);
  const headers = { "content-disposition": `attachment; filename="security-findings.${format}"` };
  if (format === "sarif") {
    const log = (await loadSarif()).sarifLog(harvests);
    const bytes = Buffer.from(JSON.stringify(log));
    if (repo_id !== undefined) await checkUploadable(log, bytes);
    return bytesResult({ bytes, contentType: "application/sarif+json", headers });
  }
  const records = harvests.flatMap((harvest) => harvest.records);
  const result = listResult({ format, records, columns: findingColumns, nextCursor: null });
  return { ...result, headers };
});
