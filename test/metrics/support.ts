import { expect } from "vitest";
import * as z from "zod";
import type { Answer, Api } from "../support/api.ts";
import { github, type World } from "../support/world.ts";

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
  const organization = github(name);
  const uuid = await world.organization(name);
  await world.member(organization, "u-admin", { role: "cr_admin" });
  await world.repository(organization, "9001");
  const text = await world.adminKey(uuid);
  const sendPullRequest = (number: number | string, change: object = {}) =>
    world.pullRequest(organization, number, change);
  return { organization, uuid, key: text, sendPullRequest, ...readerOf(api, text) };
}
