import * as z from "zod";
import { organizationUuid, repositoryUuid } from "../../lib/contract/identity.ts";
import * as kinds from "../../lib/contract/items.ts";
import { createAnswer } from "../../lib/contract/operations/learnings.ts";
import { learningRecord } from "../../lib/contract/records-learnings.ts";
import type { Embedder } from "../../lib/index/embedder.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import type { BatchAuthor } from "../../lib/learnings/batch/plan.ts";
import { createLearnings } from "../../lib/learnings/create.ts";
import { deleteLearning } from "../../lib/learnings/delete.ts";
import { updateLearning } from "../../lib/learnings/update.ts";
import type { LearningDeps } from "../../lib/learnings/writer.ts";
import { type Clock, systemClock } from "../../lib/runtime/clock.ts";
import { type Random, systemRandom } from "../../lib/runtime/random.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";
import type { Item, Table } from "../../lib/store/table.ts";
import { everything } from "../events/support.ts";
import { github, type OrganizationId, type World } from "../support/world.ts";

let organizationsMade = 0;

/** A separate organization for a test, so that its rate limit of ten writes is separate too. */
export type Home = {
  readonly uuid: string;
  readonly name: OrganizationId;
  readonly repository: string;
};

export async function newHome(
  world: World,
  change: Record<string, unknown> = {},
  repository: object = {},
): Promise<Home> {
  const name = github(`learner-${organizationsMade++}`);
  const home = { uuid: organizationUuid(name), name, repository: "repo-1" };
  const { table } = world.deps;
  const kind = JSON.stringify([change, repository]);
  const first = firstHomes.get(table)?.get(kind);
  if (first) {
    await layOut(table, first, home);
    return home;
  }
  await world.organization(name.provider_organization_id, change);
  await world.member(name, "ann", { role: "cr_admin" });
  await world.member(name, "bob");
  await world.repository(name, "repo-1", repository);
  // In a workspace or an instance, items of other organizations refer to it, so its items cannot be copied.
  if (change.workspace_id === undefined && change.instance_id === undefined) {
    const own = (await everything(table)).filter((each) => JSON.stringify(each).includes(home.uuid));
    const items = JSON.stringify(own);
    firstHomes.set(table, (firstHomes.get(table) ?? new Map()).set(kind, { home, items }));
  }
  return home;
}

/** Events create the first home of a kind in a table; later homes are copies of its items. */
type FirstHome = { readonly home: Home; readonly items: string };
const firstHomes = new WeakMap<Table, Map<string, FirstHome>>();

const itemList = z.array(
  z.custom<Item>((value) => z.looseObject({ pk: z.string() }).safeParse(value).success),
);

async function layOut(table: Table, { home, items }: FirstHome, next: Home): Promise<void> {
  const names = ({ uuid, name, repository }: Home) => [
    uuid,
    name.provider_organization_id,
    repositoryUuid(uuid, repository),
  ];
  const text = names(home).reduce(
    (left, each, place) => left.replaceAll(each, names(next)[place] ?? ""),
    items,
  );
  await table.writeMany(itemList.parse(JSON.parse(text)).map((put) => ({ put })));
}

export const item = (learning: string, more: object = {}) => ({ repository_id: "repo-1", learning, ...more });

/** The stored repository of every `item`: for the model of the store, which applies no events. */
export const storedRepository = (organization: string): Item => ({
  ...kinds.repository.key({ organization, repositoryId: "repo-1" }),
  uuid: "r",
  repository_id: "repo-1",
  name: "r",
  full_name: "g/r",
  private: null,
  url: "https://x",
  active: true,
  approval_delay_days: null,
  version: "1",
  first_version: "1",
});

export type Results = z.output<typeof createAnswer>;
export const resultsOf = (answer: { json: unknown }): Results => createAnswer.parse(answer.json);
export const recordOf = (answer: { json: unknown }) => learningRecord.parse(answer.json);
export const pageOf = (answer: { json: unknown }) =>
  z.object({ data: z.array(learningRecord), next_cursor: z.string().nullable() }).parse(answer.json);

/** The verbs without the request lifecycle, so without the limiter: for races and faults. */
export type Verbs = ReturnType<typeof verbsOf>;

export function verbsOf(
  table: Table,
  {
    embedder = localEmbedder,
    clock = systemClock,
    random = systemRandom,
    signal = new AbortController().signal,
  }: { embedder?: Embedder; clock?: Clock; random?: Random; signal?: AbortSignal } = {},
) {
  const deps: LearningDeps = {
    table,
    clock,
    random,
    embedder,
    retentionDays: 400,
    actor: { type: "key", id: "ann", name: null, email: null, keyId: "k1", keyKind: "organization" },
    ipAddress: null,
    requestId: "request-1",
    signal,
  };
  return {
    deps,
    post: (author: Omit<BatchAuthor, "readable">, ...data: unknown[]) =>
      createLearnings(deps, { ...author, readable: "*" }, data),
    patch: (organization: OrganizationItem, id: string, text: string) =>
      updateLearning(deps, { organizations: [organization], readable: "*", id, text }),
    remove: (organization: OrganizationItem, id: string) =>
      deleteLearning(deps, { organizations: [organization], readable: "*", id }),
  };
}
