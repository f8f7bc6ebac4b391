import type { Dice, NonEmpty } from "../../../lib/local/demo/dice.ts";
import type { Table } from "../../../lib/store/table.ts";
import { item, verbsOf } from "../../learnings/fixture.ts";
import { closed, mcp } from "../../support/event-data.ts";
import { organizationOf } from "../../support/stored.ts";
import type { OrganizationId, World } from "../../support/world.ts";

type Organization = OrganizationId & { readonly uuid: string; state: Readonly<Record<string, unknown>> };

/** Ways in which an organization leaves the scope of its workspace's tokens. */
export const waysOut: NonEmpty<Organization["state"]> = [
  { plan: "pro" },
  { active: false },
  { workspace_id: null },
];

/** A workspace of three organizations, two of them with the same number, in which random changes happen. */
export class Platform {
  readonly #world: World;
  readonly #table: Table;
  readonly #dice: Dice;
  readonly #organizations: Organization[] = [];
  readonly #learnings: Array<{ readonly owner: Organization; readonly id: string }> = [];
  readonly workspace: string;
  #texts = 0;

  constructor(world: World, table: Table, dice: Dice, workspace: string) {
    this.#world = world;
    this.#table = table;
    this.#dice = dice;
    this.workspace = workspace;
  }

  /** The number that two organizations share. */
  get sharedNumber(): string {
    return `${this.workspace}-1`;
  }

  async begin(): Promise<string> {
    await this.#world.workspace(this.workspace);
    for (const [provider, number] of [
      ["github", "1"],
      ["gitlab", "1"],
      ["github", "2"],
    ] as const) {
      const id = {
        provider,
        instance_id: null,
        provider_organization_id: `${this.workspace}-${number}`,
      };
      const uuid = await this.#save(id, {});
      await this.#world.member(id, "ann", { role: "cr_admin" });
      for (const repository of ["9001", "9002"]) await this.#world.repository(id, repository);
      this.#organizations.push({ ...id, uuid, state: {} });
    }
    return (await this.#world.token(this.workspace)).text;
  }

  #save = ({ provider, provider_organization_id }: OrganizationId, state: object) =>
    this.#world.organization(provider_organization_id, {
      provider,
      workspace_id: this.workspace,
      ...state,
    });

  async change(what: "metrics" | "learnings"): Promise<void> {
    const [first, ...others] = this.#organizations;
    if (!first) throw new Error("The workspace has not begun.");
    const organization = this.#dice.pick([first, ...others]);
    if (this.#dice.percent(25)) await this.#flip(organization);
    else if (what === "metrics") await this.#finalize(organization);
    else await this.#learn(organization);
  }

  /** Moves an organization out of the scope, by plan, by activity or by leaving the workspace; or back into it. */
  async #flip(organization: Organization): Promise<void> {
    const isIn = Object.keys(organization.state).length === 0;
    organization.state = isIn ? this.#dice.pick(waysOut) : {};
    await this.#save(organization, organization.state);
  }

  async #finalize({ provider, instance_id, provider_organization_id, state }: Organization): Promise<void> {
    // An event of an inactive organization waits for it: other tests cover that.
    if (state.active === false) return;
    const number = this.#dice.between(1, 5);
    const change = {
      pr_url: `https://${provider}.com/acme/billing/pull/${number}`,
      repository_id: this.#dice.pick(["9001", "9002"]),
      author_id: this.#dice.pick(["4411", "4412"]),
      review_iterations: this.#dice.below(100),
      reviewed: this.#dice.percent(85),
      ...(this.#dice.percent(20) && { comments: [] }),
      ...(this.#dice.percent(70) && mcp),
      ...(this.#dice.percent(20) && { merged_at: "2026-10-02T10:00:00.000Z" }),
      ...(this.#dice.percent(20) && closed),
    };
    const id = { provider, instance_id, provider_organization_id };
    await this.#world.pullRequest(id, number, change);
  }

  async #learn(owner: Organization): Promise<void> {
    const verbs = verbsOf(this.#table);
    const organization = await organizationOf(this.#table, owner.uuid);
    const [known, ...more] = this.#learnings.filter((each) => each.owner === owner);
    if (!known || this.#dice.percent(50)) {
      const data = item(`Text ${this.#dice.below(8)}, "quoted"`, { repository_id: "9001" });
      const { results } = await verbs.post({ organization, authorId: "ann" }, data);
      for (const { id } of results) if (id) this.#learnings.push({ owner, id });
      return;
    }
    const { id } = this.#dice.pick([known, ...more]);
    if (this.#dice.percent(50)) await verbs.remove(organization, id);
    // A Learning that was deleted meanwhile cannot be changed.
    else await verbs.patch(organization, id, `Changed ${this.#texts++}`).catch(() => undefined);
  }
}
