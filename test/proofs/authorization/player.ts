import * as kinds from "../../../lib/contract/items.ts";
import type { Api } from "../../support/api.ts";
import { Pace } from "../../support/pace.ts";
import { World } from "../../support/world.ts";
import type { Cell } from "./cells.ts";
import { expectedOf } from "./expected.ts";
import { requestOf, shownBy } from "./requests.ts";
import type { Row } from "./table.ts";
import {
  buildWorkspace,
  KeyStore,
  type MarkedOrganization,
  organizationsOf,
  reachedOf,
  siblingsMode,
  type Tenant,
} from "./world.ts";

/** At most three operations share a bucket. */
const callsAtOnce = ({ perMinute }: Row): number => Math.floor(Number(perMinute) / 3);

/** Calls the API with the cells of the matrix, and compares the answers with the table. */
export class MatrixPlayer {
  readonly tenants: Tenant[] = [];
  readonly #api: Api;
  readonly #world: World;
  readonly #keyStore: KeyStore;
  readonly #lostTokens = new Map<string, string>();
  #foreign: Tenant | undefined;
  #pace: Pace | undefined;

  constructor(api: Api) {
    this.#api = api;
    this.#world = new World(() => api.store().table);
    this.#keyStore = new KeyStore(this.#world);
  }

  async build(makers: ReadonlyArray<(world: World) => Promise<Tenant>>): Promise<void> {
    for (const make of makers) this.tenants.push(await make(this.#world));
    this.#foreign = await buildWorkspace(this.#world, "foreign", "enterprise", "enterprise");
    for (const { id } of this.tenants.filter(({ kind }) => kind === "workspace")) {
      const admins = ["u-admin", "u-was"].map((user_id) => ({ user_id, email: null }));
      await this.#world.workspace(id, { admins });
      this.#lostTokens.set(id, (await this.#world.token(id, "u-was")).text);
      await this.#world.workspace(id, { admins: admins.slice(0, 1) });
    }
    this.#pace = new Pace(Date.now());
  }

  end(): void {
    this.#pace?.end();
  }

  get foreign(): MarkedOrganization {
    if (!this.#foreign) throw new Error("The world is built first.");
    return this.#foreign.home;
  }

  /** Undefined if the answer is as the table says, else the difference. */
  async play({ row, caller, selection }: Cell): Promise<string | undefined> {
    const pace = this.#pace;
    if (!pace) throw new Error("The world is built first.");
    const { kind, tenant, role, isOwnerAdmin } = caller;
    const ask = { kind, selection, tenant, candidates: [...reachedOf(tenant), this.foreign] };
    const key = isOwnerAdmin
      ? await this.#keyStore.key(kind, tenant, role, row, caller.only)
      : (this.#lostTokens.get(tenant.id) ?? "");
    const request = requestOf(row, ask);
    const call = (body = request.body) =>
      pace.run(`${tenant.id}|${row.operation}`, callsAtOnce(row), () =>
        this.#api.call(request.target, { key, method: request.method, ...(body && { body }) }),
      );
    const answer = await call();
    const isSet = row.id === "setSeatAssignment" && (await this.#isModeSet(tenant));
    if (isSet) await call({ mode: "automatic" });
    const expected = expectedOf(row, caller, selection);
    const shown = expected.organizations && shownBy(row, answer, ask);
    const actual = {
      status: answer.status,
      code: answer.codes[0] ?? null,
      limit: answer.headers["x-ratelimit-limit"],
      isCounted: answer.headers["x-ratelimit-remaining"] !== undefined,
      isSet,
      ...(shown && { shown: [...shown].sort() }),
    };
    const wanted = {
      status: expected.status,
      code: expected.code,
      // An answer that does not count has no header about the limit.
      limit: expected.isAdmitted ? row.perMinute : undefined,
      isCounted: expected.isAdmitted,
      isSet: row.id === "setSeatAssignment" && expected.isAdmitted,
      ...(shown && { shown: expected.organizations?.map(({ mark }) => mark).sort() }),
    };
    if (JSON.stringify(actual) === JSON.stringify(wanted)) return undefined;
    const cell = nameOf({ row, caller, selection });
    return `${cell}: ${JSON.stringify(actual)} and not ${JSON.stringify(wanted)}; ${answer.message}`;
  }

  /** Learnings and roles of all tenants that are no longer there. */
  async lost(): Promise<{ readonly asked: number; readonly missing: number }> {
    const keys = [...this.tenants, ...(this.#foreign ? [this.#foreign] : [])]
      .flatMap(organizationsOf)
      .flatMap(({ uuid, learningId, roleId }) => [
        kinds.learning.key({ organization: uuid, learningId }),
        kinds.role.key({ organization: uuid, roleId }),
      ]);
    const items = await this.#api.store().table.getMany(keys);
    return { asked: keys.length, missing: items.filter((item) => item === undefined).length };
  }

  /** All answers repeat the requested value: only the table shows whether the home organization changed. */
  async #isModeSet({ home }: Tenant): Promise<boolean> {
    const item = await this.#api.store().table.get(kinds.organization.key({ organization: home.uuid }));
    return item?.seat_assignment_mode === siblingsMode;
  }
}

const nameOf = ({ row, caller, selection }: Cell) => {
  const who = [caller.kind, caller.role, caller.isOwnerAdmin ? "" : "lost admin", caller.tenant.id];
  if (caller.only) who.push(`only ${caller.only.join(", ")}`);
  return `${row.operation} · ${who.filter(Boolean).join(" ")} · ${selection.selector}`;
};
