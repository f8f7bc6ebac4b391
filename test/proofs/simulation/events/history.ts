import { v5 } from "uuid";
import { identityNamespace, organizationUuid } from "../../../../lib/contract/identity.ts";
import type { OutgoingEvent } from "../../../../lib/events/send.ts";
import {
  finalized,
  memberData,
  organizationData,
  repositoryData,
  workspaceData,
} from "../../../support/event-data.ts";
import type { Dice } from "../model/scheduler.ts";

/**
 * What is wrong with an event: nothing (good), its data (malformed), its item, which the table refuses (refused), it
 * ends the worker (deadly), it takes longer than any delivery (lasting), or AWS denies access for it at every delivery
 * (forbidden).
 */
export type Fate = "good" | "malformed" | "refused" | "deadly" | "lasting" | "forbidden";

export type SimulatedEvent = OutgoingEvent & { readonly fate: Fate };

const organizationIds = ["1", "2", "3"];
const userIds = ["ann", "bob", "cid", "dan"];
/** Users whose events have the fate in the name. */
export const refusedUser = "too-large";
export const deadlyUser = "deadly";
export const lastingUser = "lasting";
export const forbiddenUser = "forbidden";

export const nameOf = (id: string) => ({
  provider: "github",
  instance_id: null,
  provider_organization_id: id,
});
export const organizations = organizationIds.map((id) => ({ id, uuid: organizationUuid(nameOf(id)) }));
export const users = userIds;

/** Builds the platform's state and the events that describe it step by step. */
export function makeHistory(dice: Dice): SimulatedEvent[] {
  const events: SimulatedEvent[] = [];
  let minute = 0;
  const say = (type: string, data: object, fate: Fate = "good") => {
    minute++;
    const occurred_at = new Date(Date.UTC(2026, 9, 1, 0, minute)).toISOString();
    events.push({ id: v5(`${minute}`, identityNamespace), type, occurred_at, data, fate });
  };
  // In some histories nobody wants a seat until the end; then some users do, while the first seats are bought.
  const isRush = dice.chance(0.4);
  const late = userIds.slice(-1);
  const early = isRush ? userIds.slice(0, -1) : userIds;
  const workspace = (rushSeats = 0) =>
    say("workspace.saved", {
      id: "acme",
      name: "Acme",
      ...workspaceData,
      admins: [],
      seats_purchased: isRush ? rushSeats : dice.below(9),
    });
  const organization = (id: string) =>
    say("organization.saved", {
      ...nameOf(id),
      name: id,
      ...organizationData,
      workspace_id: dice.chance(0.8) ? "acme" : null,
      seats_purchased: dice.below(4),
      seat_assignment_mode: dice.pick(["automatic", "automatic", "manual"]),
    });
  const member = (id: string, user: string, fate: Fate = "good") =>
    say(
      "member.saved",
      {
        ...nameOf(id),
        user_id: user,
        username: user,
        ...memberData,
        email: dice.pick([null, `${user}@acme.test`, `${user}@acme.test`, "team@acme.test"]),
        role: dice.pick(["cr_admin", "cr_member"]),
        seat_assigned: isRush ? late.includes(user) : dice.chance(0.8),
        active: fate !== "good" || dice.chance(0.75),
      },
      fate,
    );
  const repository = (id: string) =>
    say("repository.saved", {
      ...nameOf(id),
      repository_id: "r1",
      name: "r1",
      full_name: "g/r1",
      ...repositoryData,
    });
  const pullRequest = (id: string) =>
    say(
      "pull_request.finalized",
      finalized(nameOf(id), minute, { repository_id: "r1", author_id: dice.pick(early), comments: [] }),
    );
  const bad: ReadonlyArray<(id: string) => void> = [
    (id) => say("member.saved", { ...nameOf(id), user_id: "x" }, "malformed"),
    (id) => member(id, refusedUser, "refused"),
    (id) => member(id, deadlyUser, "deadly"),
    (id) => member(id, lastingUser, "lasting"),
    (id) => member(id, forbiddenUser, "forbidden"),
  ];

  workspace();
  for (const id of organizationIds) {
    organization(id);
    repository(id);
  }
  for (let count = 12 + dice.below(25); count > 0; count--) {
    const id = dice.pick(organizationIds);
    const what = dice.next();
    if (what < 0.5) member(id, dice.pick(early));
    else if (what < 0.65) pullRequest(id);
    else if (what < 0.72) organization(id);
    // Seats are bought in a separate group, and so at the same time as people join and leave.
    else if (what < 0.93) workspace();
    else dice.pick(bad)(id);
  }
  if (isRush) {
    for (const id of organizationIds) for (const user of late) member(id, user);
    workspace(12);
  }
  return events;
}
