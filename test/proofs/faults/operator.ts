import { createKey, type KeyRequest } from "../../../lib/access/create-key.ts";
import { type IssuedKey, listKeysOfOrganization } from "../../../lib/access/key-registry.ts";
import { revokeKey } from "../../../lib/access/revoke-key.ts";
import { rotateKey } from "../../../lib/access/rotate-key.ts";
import {
  createWorkspaceToken,
  deleteWorkspaceToken,
  listWorkspaceTokens,
} from "../../../lib/access/workspace-tokens.ts";
import { operator, operatorOrigin } from "../../../lib/audit/entry.ts";
import { organizationUuid } from "../../../lib/contract/identity.ts";
import { auditLimits } from "../../../lib/contract/limits.ts";
import { decideLearning, pendingLearnings } from "../../../lib/learnings/approval.ts";
import { operatorCaller } from "../../../lib/operator/caller.ts";
import { endLeakedKey } from "../../../lib/operator/leaked-key.ts";
import { seatGroups } from "../../../lib/operator/seat-groups.ts";
import { embedderInUse } from "../../../lib/operator/stack-embedder.ts";
import {
  countAdmins,
  findOrganizationByName,
  readAllOrganizations,
} from "../../../lib/organizations/find.ts";
import { repairTable } from "../../../lib/organizations/repair.ts";
import { changeApprovalDelay } from "../../../lib/organizations/repository-settings.ts";
import { changeOrganizationSettings } from "../../../lib/organizations/settings.ts";
import { findIdleSeats } from "../../../lib/report/seats.ts";
import { localIdentity } from "../../../lib/runtime/aws-identity.ts";
import { required } from "../../../lib/runtime/required.ts";
import { parseEntryPlace } from "../../../lib/store/layout.ts";
import type { Item } from "../../../lib/store/table.ts";
import { parseEntry } from "../../../lib/stream/entry.ts";
import { dayNumberOf, removalPuts } from "../../../lib/stream/removal.ts";
import { datasetOf } from "../../../lib/stream/stream.ts";
import { comments, mcp } from "../../support/event-data.ts";
import { scanAll } from "../../support/scan-all.ts";
import { github, gitlab } from "../../support/world.ts";
import { manyComments } from "./fixture.ts";
import { change } from "./operator-command.ts";
import type { FaultEnvironment, ScenarioSet } from "./scenario.ts";

/** The commands of the operator's tool: it prints their results, or that the store could not be reached. */
export function operatorScenarios(environment: FaultEnvironment): ScenarioSet {
  const { world } = environment;
  const own = () => environment.api.store().table;
  const deps = () => ({ ...environment.store(), retentionDays: auditLimits.retentionDaysDefault });
  const context = () => ({ ...deps(), ...operatorOrigin });
  let place:
    | {
        uuid: string;
        home: string;
        roleId: string;
        pendingId: string;
        keys: Record<"one" | "listed" | "legacy" | "token", IssuedKey>;
      }
    | undefined;
  const built = () => {
    if (!place) throw new Error("The office is built first.");
    return place;
  };

  const idleSeats = async (organization: Parameters<typeof organizationUuid>[0]) => {
    const store = { table: environment.store().table, audited: context() };
    const question = { days: 30, nowMs: Date.now() + 40 * 86_400_000 };
    const groups = await seatGroups(store, organizationUuid(organization));
    const found = await Promise.all(groups.map((group) => findIdleSeats(group, question)));
    return found.flatMap(({ idle }) => idle);
  };
  const caller = () =>
    operatorCaller({
      ...environment.store(),
      audited: context(),
      embedder: () => Promise.reject(new Error("No scenario searches.")),
    });
  /** No other caller creates the same key. */
  const key = (request: () => KeyRequest) => change(() => createKey(deps(), request()), { isAlone: true });
  /** The command names the keys that it ended. */
  const endedBefore = { doneBefore: /^0 of them$/ };
  const owned = { owner: "u-admin", actor: operator };

  return {
    fixtures: {
      office: {
        build: async () => {
          await world.workspace("office");
          await world.instance("office");
          const uuid = await world.organization("one", { workspace_id: "office", approval_delay_days: 9 });
          const home = await world.organization("home", { instance_id: "office" });
          await world.organization("one", { instance_id: "office" });
          for (const name of [github("one"), gitlab("office", "home")])
            await world.member(name, "u-admin", { role: "cr_admin" });
          await world.repository(github("one"), "r1");
          for (const text of ["Mind the step.", "Mind the gap."])
            await world.learning(github("one"), text, { repository_id: "r1" });
          const pending = await Array.fromAsync(pendingLearnings(own(), { organization: uuid }));
          place = {
            uuid,
            home,
            roleId: await world.role(uuid, "Reviewer"),
            pendingId: pending[0]?.id ?? "",
            keys: {
              one: await world.key({
                kind: "organization",
                organization: uuid,
                owner: "u-admin",
                role: "cr_admin",
              }),
              listed: await world.key({
                kind: "instance",
                instanceId: "office",
                home,
                authorized: [home],
                owner: "u-admin",
                role: "cr_admin",
              }),
              legacy: await world.key({ kind: "legacy", organization: uuid }),
              token: await world.token("office"),
            },
          };
        },
      },
      "a restored table": {
        build: async () => {
          await world.workspace("office");
          await world.organization("one", { workspace_id: "office" });
          const name = github("one");
          await world.repository(name, "r1");
          for (const number of [1, 2, 3, 4]) {
            const pr_url = `https://git.example.com/pull/${number}`;
            const data = {
              repository_id: "r1",
              pr_url,
              comments: number % 2 === 0 ? manyComments() : comments(pr_url, 2),
              ...mcp,
            };
            await world.pullRequest(name, number, data);
          }
          await damage(environment);
        },
      },
    },
    scenarios: () => ({
      "keys are listed": change(() => listKeysOfOrganization(deps()), { isRead: true }),
      "keys of one organization are listed": change(() => listKeysOfOrganization(deps(), built().uuid), {
        isRead: true,
      }),
      "a key of an organization": key(() => ({
        kind: "organization",
        organization: built().uuid,
        role: built().roleId,
        ...owned,
      })),
      "a key whose storing is never answered": {
        ...key(() => ({ kind: "user", organization: built().uuid, ...owned })),
        extraFault: {
          at: "lib/access/key-registry.ts TransactWriteItems",
          fault: "lost after",
          times: Number.POSITIVE_INFINITY,
        },
      },
      "a key of a member": key(() => ({ kind: "user", organization: built().uuid, ...owned })),
      "a key of an instance": key(() => ({
        kind: "instance",
        instanceId: "office",
        home: built().home,
        role: "cr_admin",
        authorized: [built().home],
        ...owned,
      })),
      "a key is rotated": change(
        () => rotateKey(deps(), { id: built().keys.one.key.id, graceSeconds: 3_600, actor: operator }),
        { doneBefore: /./ },
      ),
      "a leaked key is ended": change(() => endLeakedKey(context(), built().keys.one.text), {
        doneBefore: /./,
      }),
      "a key is revoked": change(() => revokeKey(deps(), built().keys.one.key.id, operator), endedBefore),
      "a key of some organizations of an instance is revoked": change(
        () => revokeKey(deps(), built().keys.listed.key.id, operator),
        endedBefore,
      ),
      "a token": change(
        () =>
          createWorkspaceToken(deps(), { workspaceId: "office", as: "u-admin", name: "t", expiresInDays: 3 }),
        { isAlone: true },
      ),
      "tokens are listed": change(() => listWorkspaceTokens(deps(), "office", "u-admin"), { isRead: true }),
      "a token is deleted": change(
        () =>
          deleteWorkspaceToken(deps(), {
            workspaceId: "office",
            as: "u-admin",
            id: built().keys.token.key.id,
          }),
        endedBefore,
      ),
      "an organization's settings": change(() =>
        changeOrganizationSettings(context(), built().uuid, { approval_delay_days: 3 }),
      ),
      "a repository's approval delay": change(() => changeApprovalDelay(context(), built().uuid, "r1", 3)),
      "Learnings that wait are listed": change(
        () => Array.fromAsync(pendingLearnings(environment.store().table, { organization: built().uuid })),
        { isRead: true },
      ),
      "Learnings of every organization that wait are listed": change(
        async () => (await Array.fromAsync(caller().pages("listLearnings"))).flatMap(({ body }) => body.data),
        { isRead: true },
      ),
      "a Learning is approved": change(
        () => decideLearning(context(), built().uuid, built().pendingId, "approved"),
        { doneBefore: /^not_pending$/ },
      ),
      "organizations are listed": change(() => readAllOrganizations(environment.store().table), {
        isRead: true,
      }),
      "admins are counted": change(
        async () => {
          const { table } = environment.store();
          return [...(await countAdmins(table, await readAllOrganizations(table))).values()];
        },
        { isRead: true },
      ),
      "an organization is found by its provider's id": change(
        async () => [await findOrganizationByName(environment.store().table, "one", "w#office")],
        { isRead: true },
      ),
      "idle seats of a workspace are looked for": change(() => idleSeats(github("one")), {
        isRead: true,
        fixture: "fixture",
      }),
      "idle seats of an organization are looked for": change(() => idleSeats(gitlab("faults", "home")), {
        isRead: true,
        fixture: "fixture",
      }),
      "the embedder in use is asked for": change(
        async () => [await embedderInUse(environment.store().table, localIdentity)],
        { isRead: true, fixture: "what can be found" },
      ),
      "the table is repaired": {
        ...change(() => repairTable(environment.store())),
        fixture: "a restored table",
        isAlone: true,
        isRacing: true,
        // Numbers, epochs and the mark of a repair differ in every run, also the new number of what is appended again.
        uncompared: /"sk":"HEAD"|"sk":"ORG#!EPOCHS"|"restored":|"sk":"000[1-9]\d{6}"|"n":[1-9]\d{6}/,
      },
    }),
  };
}

/** Half an append: a missing copy, an entry without an owner, an entry that lost its parts, and such removals. */
const lostUuid = "00000000-0000-4000-8000-000000000009";

async function damage(environment: FaultEnvironment): Promise<void> {
  const table = environment.api.store().table;
  const items = await scanAll(table);
  const entries = items.filter(({ pk }) => /^S#.*#\w#\d+$/.test(pk));
  const part = items.find(({ pk }) => pk.startsWith("PART#"));
  const [first, second] = entries;
  const copy = items.find(({ pk, sk }) => pk.startsWith("ORGS#w#") && /^ORG#[0-9a-f]/.test(sk));
  if (!first || !second || !part || !copy) throw new Error("There is something to damage.");
  await table.writeMany([
    { delete: { pk: first.pk, sk: first.sk } },
    { put: { ...second, sk: "0000009999" } },
    { delete: { pk: part.pk, sk: part.sk } },
    // A copy of an organization that is missing after a restore.
    { put: { ...copy, pk: "ORGS#w#elsewhere", sk: `ORG#${lostUuid}`, uuid: lostUuid } },
    ...removalsWithoutTwins(second).map((put) => ({ put })),
  ]);
}

/** One that its pull request has, and one that is ahead of its pull request. */
function removalsWithoutTwins(item: Item): Item[] {
  const place = required(parseEntryPlace(item), "place of an entry");
  const { entry, pointerId } = parseEntry(item, place.organization);
  const { organization, repositoryId, authorId, atMs } = entry;
  const facets = { day: dayNumberOf(atMs), repositoryId, authorId, status: undefined };
  const removal = { pointerId, pullRequest: "https://git.example.com/pull/2", facets, removedAtMs: atMs };
  return [entry.number, 9_998].flatMap((number) => {
    const address = { tenant: place.tenant, organization, dataset: datasetOf(place.dataset), number };
    return removalPuts(address, removal)
      .slice(0, 1)
      .map(({ put }) => put);
  });
}
