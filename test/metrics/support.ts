import { expect } from "vitest";
import * as z from "zod";
import { categories, severities } from "../../lib/contract/records-metrics.ts";
import type { Answer, Api } from "../support/api.ts";
import type { OrganizationId, World } from "../support/world.ts";

export type CommentData = {
  url: string;
  severity?: string | null;
  category?: string | null;
  accepted?: boolean | null;
};

export const urlOf = (number: number | string): string =>
  `https://github.com/acme-corp/billing-service/pull/${number}`;

/** A few findings that differ in every field. */
export const comments = (prUrl: string, count: number): CommentData[] =>
  Array.from({ length: count }, (_, index) => ({
    url: `${prUrl}#discussion_r${2_100_000_000 + index * 104_729}`,
    severity: severities[index % severities.length] ?? null,
    category: categories[index % categories.length] ?? null,
    accepted: [true, false, null][index % 3] ?? null,
  }));

/** The data of a merged, reviewed pull request with two comments and no MCP. */
export function finalized(organization: OrganizationId, number: number | string, change: object = {}) {
  const pr_url = urlOf(number);
  return {
    ...organization,
    repository_id: "9001",
    pr_url,
    author_id: "4411",
    author_username: "ann",
    created_at: "2026-11-01T08:00:00.000Z",
    ready_for_review_at: "2026-11-01T09:00:00.000Z",
    first_human_review_at: null,
    last_commit_at: "2026-11-02T09:00:00.000Z",
    merged_at: "2026-11-02T10:00:00.000Z",
    closed_at: null,
    status: "merged",
    reviewed: true,
    review_iterations: 2,
    estimated_complexity: 3,
    estimated_review_minutes: 25,
    comments: comments(pr_url, 2),
    mcp_servers: [],
    ...change,
  };
}

/** A closed, unmerged one. */
export const closed = { status: "closed", merged_at: null, closed_at: "2026-11-03T10:00:00.000Z" };
export const mcp = { mcp_servers: [{ name: "tickets", tools: [{ name: "find", calls: 3, failures: 1 }] }] };

export const november = "start_date=2026-11-01&end_date=2026-11-30";

const page = z.object({
  data: z.array(z.looseObject({ pr_url: z.string() })),
  next_cursor: z.string().nullable(),
});

/** A JSON page that must have been answered with 200. */
export function pageOf(answer: Answer) {
  expect(answer.message).toBe("");
  expect(answer.status).toBe(200);
  const { data, next_cursor } = page.parse(answer.json);
  return {
    data,
    next: next_cursor,
    urls: data.map(({ pr_url }) => pr_url),
    resume: answer.headers["x-resume-cursor"],
  };
}

export type Reader = {
  /** `dataset?query`, as received. */
  get(datasetAndQuery: string): Promise<Answer>;
  page(datasetAndQuery: string): Promise<ReturnType<typeof pageOf>>;
  /** The URLs of a whole walk. */
  walk(datasetAndQuery: string): Promise<string[]>;
};

/** Reads as the bearer of a key. */
export function readerOf(api: Api, key: string): Reader {
  const get = (datasetAndQuery: string) => api.call(`/v1/metrics/${datasetAndQuery}`, { key });
  const read = async (datasetAndQuery: string) => pageOf(await get(datasetAndQuery));
  return {
    get,
    page: read,
    async walk(datasetAndQuery) {
      const urls: string[] = [];
      for (let cursor = ""; ; ) {
        const found = await read(`${datasetAndQuery}${cursor}`);
        urls.push(...found.urls);
        if (found.next === null) return urls;
        cursor = `&cursor=${found.next}`;
      }
    },
  };
}

/** A stand-alone organization with a repository, and a reader of it. */
export async function standalone(api: Api, world: World, name: string) {
  const organization: OrganizationId = {
    provider: "github",
    instance_id: null,
    provider_organization_id: name,
  };
  const uuid = await world.organization(name);
  await world.member(organization, "u-admin", { role: "cr_admin" });
  await world.repository(organization, "9001");
  const { text } = await world.key({
    kind: "organization",
    organization: uuid,
    owner: "u-admin",
    role: "cr_admin",
  });
  const sendPullRequest = (number: number | string, change: object = {}) =>
    world.sendEvent("pull_request.finalized", finalized(organization, number, change));
  return { organization, uuid, key: text, sendPullRequest, ...readerOf(api, text) };
}
