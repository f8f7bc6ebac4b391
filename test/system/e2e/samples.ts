import * as z from "zod";
import { captured as capturedData, finalized, finding, mcp, scanned } from "../../support/event-data.ts";
import type { OrganizationId } from "../../support/world.ts";

/** A merged, reviewed pull request with data for all three datasets. */
export const pullRequest = (organization: OrganizationId, number: number, change: object = {}) =>
  finalized(organization, number, {
    repository_id: "1",
    author_id: "u-member",
    author_username: "u-member",
    ...mcp,
    ...change,
  });

export const scan = (organization: OrganizationId, change: object = {}) =>
  scanned(organization, {
    repository_id: "1",
    completed_at: "2026-11-10T00:00:00.000Z",
    findings: ["finding-1", "finding-2"].map((id) => finding(id, { title: "A query is built from text" })),
    ...change,
  });

/** A Learning from a chat. */
export const captured = (organization: OrganizationId, change: object = {}) =>
  capturedData(organization, "Log with the structured logger.", {
    repository_id: "1",
    author_id: "u-member",
    ...change,
  });

const sarif = z.object({ runs: z.array(z.object({ results: z.array(z.unknown()) })) });

export const findingsOf = (log: unknown): number =>
  sarif.parse(log).runs.reduce((sum, { results }) => sum + results.length, 0);
