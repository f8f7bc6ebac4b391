import type { Api } from "../support/api.ts";
import { github, gitlab, type OrganizationId, type World } from "../support/world.ts";

export type Batch = { status: string; succeeded: string[]; failed: Array<Record<string, unknown>> };
export type Users = {
  seats_purchased: number;
  seats_assigned: number;
  seat_assignment_mode: string | null;
  users: Array<Record<string, unknown>>;
  next_cursor: string | null;
};
/** The call has checked the answers against their schemas. */
export const json = <Shape>(answer: { json: unknown }): Shape => answer.json as Shape;

/** Builds an organization of an admin and members, with a key of the admin. */
export const companiesOf =
  (api: Api, world: World) =>
  async (
    name: string,
    {
      members = 3,
      seats = 100,
      ...change
    }: { members?: number; seats?: number; [field: string]: unknown } = {},
  ) => {
    const id: OrganizationId = change.instance_id ? gitlab(String(change.instance_id), name) : github(name);
    const uuid = await world.organization(name, { seats_purchased: seats, ...change });
    await world.member(id, "boss", { role: "cr_admin" });
    const crowd = Array.from({ length: members }, (_, index) => `m${index}`);
    await world.crowd(id, crowd);
    const key = await world.adminKey(uuid, "boss");
    const post = async (target: string, body: object) => json<Batch>(await api.call(target, { key, body }));
    const users = async (query = "") => json<Users>(await api.call(`/v1/users${query}`, { key }));
    return { id, uuid, key, post, users, members: crowd };
  };
