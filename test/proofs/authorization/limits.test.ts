import { afterAll, beforeAll, expect, test } from "vitest";
import { useApi } from "../../support/api.ts";
import { Pace } from "../../support/pace.ts";
import { isLong, timeoutMs } from "../../support/volume.ts";
import { World } from "../../support/world.ts";
import { requestOf } from "./requests.ts";
import type { Selection } from "./selectors.ts";
import { type Kind, type Row, rows } from "./table.ts";
import { buildInstance, buildWorkspace, KeyStore, type MarkedOrganization, type Tenant } from "./world.ts";

/** The rows of the table that share a limit. */
const windows = [...Map.groupBy(rows, ({ window }) => window)].map(([window, sharing]) => ({
  window,
  sharing,
  names: sharing.map(({ operation }) => operation).join(", "),
  owner: sharing[0]?.countsFor ?? "",
}));

const api = useApi();
const world = new World(() => api.store().table);
const keyStore = new KeyStore(world);
let workspace: Tenant;
let instance: Tenant;
let pace: Pace;
beforeAll(async () => {
  workspace = await buildWorkspace(world, "limits", "enterprise", "enterprise");
  instance = await buildInstance(world, "limits", "enterprise", "enterprise");
  pace = new Pace(Date.now());
}, timeoutMs);
afterAll(() => {
  pace.end();
  console.info(
    `rate limit buckets: ${bucketsCounted} of ${windows.length} counted as written, ${bucketsFilled} of them filled, in ${callsInAll} calls`,
  );
});
let callsInAll = 0;
let bucketsCounted = 0;
let bucketsFilled = 0;

type Caller = {
  readonly kind: Kind;
  readonly tenant: Tenant;
  readonly organization: MarkedOrganization;
  readonly isAll?: boolean;
};

/** Several keys of the same organization, workspace and instance, and one of a sibling. */
function callers(row: Row): Caller[] {
  const { home, other = home } = workspace;
  const all: Caller[] = [
    { kind: "organization", tenant: workspace, organization: home },
    { kind: "user", tenant: workspace, organization: home },
    { kind: "legacy", tenant: workspace, organization: home },
    { kind: "workspace", tenant: workspace, organization: home },
    { kind: "workspace", tenant: workspace, organization: other },
    { kind: "organization", tenant: instance, organization: instance.home },
    { kind: "instance", tenant: instance, organization: instance.home },
    ...(row.id === "changeRoles"
      ? [{ kind: "instance", tenant: instance, organization: instance.home, isAll: true } as const]
      : []),
  ];
  const isHosted = ({ tenant }: Caller) => tenant === instance;
  return all
    .filter(({ kind }) => row[kind] === "y")
    .filter((caller) => !row.id.endsWith("SeatAssignment") || isHosted(caller));
}

/** Name of the bucket that such a call counts in. */
function ownerOf(row: Row, { kind, tenant, organization, isAll }: Caller): string {
  const { countsFor: owner } = row;
  if (owner === "key") return `${kind} key of ${tenant.id}`;
  // A Learning that does not exist is in no organization: the call counts where the key belongs.
  if (isAll || (row.id === "deleteLearning" && kind === "instance")) return tenant.id;
  if (owner === "quota" || owner === "organization or workspace") {
    if (kind === "workspace") return tenant.id;
    if (kind === "instance" && owner === "quota") return tenant.id;
  }
  return kind === "workspace" ? organization.uuid : tenant.home.uuid;
}

async function call(row: Row, { kind, tenant, organization, isAll }: Caller) {
  const key = await keyStore.key(kind, tenant, "cr_admin", row);
  const orgId = isAll
    ? "ALL"
    : row.orgId === "required" && kind === "workspace"
      ? organization.providerId
      : undefined;
  const selection: Selection = { selector: "none", pathOrganization: organization, ...(orgId && { orgId }) };
  const request = requestOf(row, { kind, tenant, selection, candidates: [organization] });
  return await api.call(request.target, { key, ...request });
}

/** Every operation by the first caller, then by the next: a full window has counted all of them. */
const inTurns = (operations: readonly Row[]) =>
  operations
    .flatMap((row) => callers(row).map((caller, turn) => ({ row, caller, turn })))
    .toSorted((one, other) => one.turn - other.turn);

test("rows of one window have one limit, and one owner counts them", () => {
  for (const { names, sharing } of windows)
    expect([
      names,
      new Set(sharing.map(({ perMinute, countsFor }) => `${perMinute} ${countsFor}`)).size,
    ]).toEqual([names, 1]);
});

test.each(windows)(
  "$names count in one window, owned by $owner: exact to the last call, and then 429",
  async ({ sharing }) => {
    await pace.move();
    const spent = new Map<string, number>();
    for (const { row, caller } of inTurns(sharing)) {
      const bucket = ownerOf(row, caller);
      if ((spent.get(bucket) ?? 0) >= Number(row.perMinute)) {
        await pace.move();
        spent.clear();
      }
      spent.set(bucket, (spent.get(bucket) ?? 0) + 1);
      const { headers } = await call(row, caller);
      const left = String(Number(row.perMinute) - (spent.get(bucket) ?? 0));
      const who = `${row.operation} ${caller.kind} ${caller.tenant.id} ${caller.organization.mark}`;
      expect([who, headers["x-ratelimit-remaining"]]).toEqual([who, left]);
      callsInAll++;
    }
    const [row] = sharing;
    const [caller] = row ? callers(row) : [];
    if (!row || !caller) throw new Error("Every bucket has a row and a caller.");
    bucketsCounted++;
    if (!isLong && row.perMinute !== "10") return;
    const rest = Number(row.perMinute) - (spent.get(ownerOf(row, caller)) ?? 0);
    const answers = await Promise.all(Array.from({ length: rest + 3 }, () => call(row, caller)));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3);
    await pace.move();
    expect((await call(row, caller)).status).not.toBe(429);
    callsInAll += rest + 4;
    bucketsFilled++;
  },
  timeoutMs,
);
