import { beforeEach, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { learningLimits } from "../../lib/contract/limits.ts";
import { EventRefused } from "../../lib/events/envelope.ts";
import { eventTypes } from "../../lib/events/event-types.ts";
import { contentDigest, pullRequestDigest } from "../../lib/learnings/identity.ts";
import { systemClock, toTimestamp } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { parseLearning, parsePullRequestLearnings } from "../../lib/store/items/learning.ts";
import { queryAll } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";
import { organizationOf } from "../support/stored.ts";
import { World } from "../support/world.ts";
import { type Home, item, newHome, verbsOf } from "./fixture.ts";

const store = useStore();
const world = new World(() => store().table);
const pr = "https://git.example.com/group/repository-1/pull/7";
let home: Home;
beforeEach(async () => {
  home = await newHome(world);
});

async function capture(learning: string, pr_url = pr): Promise<void> {
  const type = eventTypes["learning.captured"];
  const id = systemRandom.uuid();
  const data = {
    ...home.name,
    repository_id: "repo-1",
    learning,
    author_id: "bob",
    source: "pull_request",
    pr_url,
  };
  const version = `${toTimestamp(systemClock.nowMs())}#${id}`;
  await type?.apply(world.deps, [{ id, version, data: type.schema.parse(data) }]);
}
const learnings = async () =>
  (
    await Array.fromAsync(
      queryAll(store().table, { pk: kinds.learning.partition({ organization: home.uuid }) }),
    )
  ).map(parseLearning);

test("beyond a pull request's limit of private Learnings, a new one is a bad event, a known one is not", async () => {
  const { table } = store();
  await capture("the first");
  const key = kinds.pullRequestLearnings.key({ organization: home.uuid, digest: pullRequestDigest(pr) });
  const stored = await table.get(key);
  if (!stored) throw new Error("The pull request was not stored.");
  const named = Array.from({ length: learningLimits.perPullRequestMax - 1 }, () => systemRandom.uuid());
  const more = Object.fromEntries(named.map((id) => [id, `2026-11-15T12:00:00.000Z#${id}`]));
  const learningsOfIt = parsePullRequestLearnings(stored).learnings;
  await table.write({ put: { ...stored, learnings: { ...learningsOfIt, ...more } } });
  await expect(capture("one more")).rejects.toThrow(
    new EventRefused(`pr_url: the pull request has ${learningLimits.perPullRequestMax} Learnings already`),
  );
  await capture("the first");
  expect((await learnings()).map(({ text }) => text)).toEqual(["the first"]);
});

test("a limited number of open pull requests can keep a private Learning; one more is a bad event", async () => {
  const { table } = store();
  await capture("the first");
  const [learning] = await learnings();
  if (!learning) throw new Error("The Learning was not stored.");
  const many = Array.from({ length: learningLimits.pullRequestsMax - 1 }, (_, index) =>
    pullRequestDigest(`${index}`),
  );
  await table.write({ put: { ...learning, pull_requests: [...learning.pull_requests, ...many] } });
  await expect(capture("the first", `${pr}0`)).rejects.toThrow(
    new EventRefused(
      `learning: ${learningLimits.pullRequestsMax} open pull requests have this Learning already`,
    ),
  );
  await capture("the first");
});

test("a limited number of Learnings begin with one text; no route stores one more until one is deleted", async () => {
  const { table } = store();
  const { post, patch, remove } = verbsOf(table);
  const organization = await organizationOf(table, home.uuid);
  const author = { organization, authorId: "bob" };
  const [first] = (await post(author, item("the text"))).results;
  const id = first?.id ?? "";
  await patch(organization, id, "another text");
  const key = kinds.text.key({ organization: home.uuid, digest: contentDigest("repo-1", "the text") });
  const generations = Array.from({ length: learningLimits.generationsMax }, (_, index) => index + 1);
  await table.write({ put: { ...key, learning_id: null, generations } });

  const refused = await post(author, item("the text"), item("a third text"));
  expect(refused.results.map(({ status, error }) => [status, error?.code])).toEqual([
    ["failed", "STORAGE_FAILED"],
    ["created", undefined],
  ]);
  await expect(capture("the text")).rejects.toThrow(
    new EventRefused(
      `learning: ${learningLimits.generationsMax} Learnings that began with this text exist already`,
    ),
  );

  await remove(organization, id);
  const [again] = (await post(author, item("the text"))).results;
  expect(again).toMatchObject({ status: "created", id });
});
