import { expect } from "vitest";
import { type OperationId, operationOf } from "../../../lib/contract/operations.ts";
import type { SentRequest } from "../../../lib/contract/requests.ts";
import { localEmbedder } from "../../../lib/index/local-embedder.ts";
import { reconcileAll } from "../../../lib/index/reconcile.ts";
import type { Random } from "../../../lib/runtime/random.ts";
import type { Item, Table } from "../../../lib/store/table.ts";
import type { Answer, Api } from "../../support/api.ts";
import { seededRandom } from "../../support/clock.ts";
import { Pace } from "../../support/pace.ts";
import { scanAll } from "../../support/scan-all.ts";
import type { World } from "../../support/world.ts";
import { ask } from "./requests.ts";
import { buildTenant, type Holder, planWorld, type TenantFixture } from "./tenants.ts";

const callersAtOnce = 8;

/** A world of tenants, and a way to call as any of them. */
export class Stage {
  readonly random: Random;
  readonly tenants: TenantFixture[] = [];
  requests = 0;
  readonly #api: Api;
  #pace: Pace | undefined;

  constructor(api: Api, seed: number) {
    this.#api = api;
    this.random = seededRandom(seed);
  }

  async build(world: World, worlds: number): Promise<void> {
    for (const plan of planWorld(this.random)) this.tenants.push(await buildTenant(world, this.random, plan));
    // Further worlds contain only instances: organization 100 of each cloud provider exists once.
    for (let more = 1; more < worlds; more++)
      for (const plan of planWorld(this.random).filter(({ kind }) => kind === "instance"))
        this.tenants.push(await buildTenant(world, this.random, plan));
    // Otherwise a Learning that is sent again would be indexed then, which would be a change.
    await reconcileAll({ ...world.deps, embedder: localEmbedder });
    this.#pace = new Pace(Date.now());
  }

  end(): void {
    this.#pace?.end();
  }

  any<Element>(elements: readonly Element[]): Element {
    const element = elements[this.random.below(elements.length)];
    if (element === undefined) throw new Error("There is nothing to choose from.");
    return element;
  }

  otherThan(tenant: TenantFixture): TenantFixture {
    return this.any(this.tenants.filter((each) => each !== tenant));
  }

  /** A different name each time: a name that is sent twice is processed once. */
  othersThan(tenant: TenantFixture, count: number): TenantFixture[] {
    const others: TenantFixture[] = [];
    while (others.length < count)
      others.push(this.any(this.tenants.filter((each) => each !== tenant && !others.includes(each))));
    return others;
  }

  secretsBeside(tenant: TenantFixture): string[] {
    return this.tenants.filter((each) => each !== tenant).flatMap(({ secrets }) => secrets);
  }

  /** Calls as the holder's tenant, which the request's id names, unless another caller impersonates the holder. */
  async send(
    holder: Holder,
    operation: string,
    { target, ...rest }: SentRequest,
    sender = holder.tenantId,
  ): Promise<Answer> {
    if (!this.#pace) throw new Error("The world is built first.");
    const { bucket, requestsMax } = operationOf(operation).rateLimit;
    const rawHeaders = ["x-request-id", `${sender}_${this.requests++}`];
    return await this.#pace.run(`${holder.tenantId}|${bucket}`, requestsMax, () =>
      this.#api.call(target, { key: holder.key, rawHeaders, ...rest }),
    );
  }

  /** Makes the decisions that swaps with shared names will repeat: each decision records who made it. */
  async settle(): Promise<void> {
    for (const { holders } of this.tenants)
      for (const holder of holders.filter(({ kind }) => kind === "organization" || kind === "workspace"))
        for (const [operation, request] of settlingRequests(holder))
          expect((await this.send(holder, operation, request)).status).toBe(200);
  }

  /** Several callers at once, until the count is reached. */
  async repeat(times: number, work: () => Promise<number>): Promise<number> {
    let done = 0;
    const caller = async () => {
      while (done < times) {
        const more = await work();
        done += more;
      }
    };
    await Promise.all(Array.from({ length: callersAtOnce }, caller));
    return done;
  }
}

function settlingRequests(holder: Holder): Array<[operation: OperationId, request: SentRequest]> {
  const bodies = [
    ["assignSeats", { action: "unassign" }],
    ["changeRoles", { user_ids: ["u1"] }],
    ["changeRoles", { role: "cr_member" }],
  ] as const;
  return bodies.map(([id, body]) => [id, ask(id, holder, { body: { ...body, dry_run: false } })]);
}

/** The contents of the table except counters and dates of use; the audit log is separate, because it only grows. */
export async function contents(table: Table): Promise<{ things: Map<string, Item>; audit: Item[] }> {
  const things = new Map<string, Item>();
  const audit: Item[] = [];
  for (const item of await scanAll(table))
    if (item.pk.startsWith("AUDIT#")) audit.push(item);
    else if (!/^(LIMIT|REFUSED|USED)#/.test(item.pk)) things.set(`${item.pk} ${item.sk}`, item);
  return { things, audit };
}

/** Entries in a log that does not belong to the tenant whose request made them. */
export function strayEntries(audit: readonly Item[], tenants: readonly TenantFixture[]): Item[] {
  return audit.filter(({ pk, request_id: requestId }) => {
    const [sender] = String(requestId).split("_", 1);
    const tenant = tenants.find(({ id }) => id === sender);
    const owners = tenant ? [tenant.id, ...tenant.branches.map(({ uuid }) => uuid)] : [];
    return tenant && !owners.includes(pk.split("#")[2] ?? "");
  });
}
