import * as z from "zod";
import { deployments, metricsStates, plans, providers, seatAssignmentModes } from "../contract/access.ts";
import { repositoryAddress, withoutCredentials } from "../contract/addresses.ts";
import {
  type EventWords,
  eventList,
  line,
  organizationName,
  organizationNameWords,
  orNull,
  publicUrl,
} from "../contract/event-fields.ts";
import { eventLimits, teamLimits } from "../contract/limits.ts";
import { emailAddress, identifier, roleIdParameter } from "../contract/parameters.ts";
import { readableIdBytes } from "../people/reads.ts";

/** Every field that is used is validated strictly; further fields are ignored. A nullable field may be omitted. */

const name = line(eventLimits.nameCharactersMax);
const webAddress = line(eventLimits.urlCharactersMax).refine(
  (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
  { error: "must be an http or https URL" },
);
const seats = z.int().min(0).max(eventLimits.seatsMax);
const delayDays = z.int().min(0).max(eventLimits.approvalDelayDaysMax);

/** Some platforms send an unknown address as "", others as null. */
const email = orNull(
  z.union(
    [
      z
        .string()
        .regex(/^\s*$/)
        .transform(() => null),
      emailAddress,
    ],
    { error: "must be an e-mail address or null" },
  ),
);

export const organizationNameSchema = z.object(organizationName);

const firstValue =
  "Only the value of the earliest event counts, and only until the API or the operator sets another.";
const active = "false: its keys stop working, and it is no longer listed.";

export const workspaceSaved = z.object({
  id: identifier,
  name,
  admins: eventList(z.object({ user_id: identifier, email }), (list) =>
    list.refine(
      (admins) => Buffer.byteLength(JSON.stringify(admins)) <= eventLimits.workspaceAdminsBytesMax,
      {
        error: "has too many admins",
      },
    ),
  ),
  seats_purchased: seats,
  active: z.boolean(),
});

export const workspaceSavedWords = (): EventWords => ({
  meaning: "An Enterprise SSO workspace, which several organizations may belong to.",
  fields: {
    id: "Your id of the workspace, unique.",
    name: "For people.",
    admins:
      "Everybody who may use workspace tokens. A person who is not in the list loses this right at once.",
    "admins[].user_id": "The admin's user id.",
    "admins[].email": "The admin's e-mail address; null or empty where it is unknown.",
    seats_purchased: "Seats of the whole workspace. A smaller number takes no assigned seat away.",
    active,
  },
});

export const instanceSaved = z.object({
  id: identifier,
  name,
  provider: z.enum(providers),
  base_url: webAddress.transform(withoutCredentials),
  active: z.boolean(),
});

export const instanceSavedWords = (): EventWords => ({
  meaning: "A self-hosted Git provider, which several organizations may belong to.",
  fields: {
    id: "Your id of the instance, unique. Events of its organizations have it as `instance_id`.",
    name: "For people.",
    provider: "The kind of Git provider.",
    base_url: `Its address, an http or https URL. ${publicUrl}`,
    active,
  },
});

export const organizationSaved = z
  .object({
    ...organizationName,
    name,
    workspace_id: orNull(identifier),
    plan: z.enum(plans),
    subscription_active: z.boolean(),
    deployment: z.enum(deployments),
    active: z.boolean(),
    metrics: z.enum(metricsStates),
    seats_purchased: seats,
    seat_assignment_mode: z.enum(seatAssignmentModes),
    approval_delay_days: delayDays,
  })
  .refine(({ workspace_id, instance_id }) => workspace_id === null || instance_id === null, {
    error: "belongs to a workspace or to an instance, not to both",
    path: ["workspace_id"],
  });

export const organizationSavedWords = (): EventWords => ({
  meaning:
    "An organization of a workspace, of an instance, or of neither. Waits for its workspace or instance.",
  fields: {
    ...organizationNameWords,
    name: "For people.",
    workspace_id: "The workspace it belongs to; null for none. Not together with `instance_id`.",
    plan: "Its plan. Most of the API needs `enterprise`.",
    subscription_active: "Whether the subscription is paid.",
    deployment: "Where its reviews run.",
    active,
    metrics:
      "`ready`: its metrics can be read. `preparing`: callers get a 503 and retry. `unavailable`: the organization does " +
      "not send its metrics, and callers get a 403.",
    seats_purchased: "Seats of the organization. In a workspace only the seats of the workspace count.",
    seat_assignment_mode: `\`automatic\`: a person whose pull request is reviewed gets a seat. \`manual\`: an admin assigns it. ${firstValue}`,
    approval_delay_days: `Days that a Learning from chat waits for an admin; 0 for none. ${firstValue}`,
  },
});

export const repositorySaved = z.object({
  ...organizationName,
  repository_id: identifier,
  name,
  full_name: line(eventLimits.fullNameCharactersMax),
  private: orNull(z.boolean()),
  url: webAddress.transform(repositoryAddress),
  active: z.boolean(),
  approval_delay_days: orNull(delayDays),
});

export const repositorySavedWords = (): EventWords => ({
  meaning: "A repository. Waits for its organization.",
  fields: {
    ...organizationNameWords,
    repository_id: "The Git provider's id of the repository.",
    name: "The short name.",
    full_name: "The name with its owner, as in a URL.",
    private: "Whether only members can see it; null where it is not known.",
    url: "Its address, http or https. User, password, query and fragment are removed before it is stored anywhere.",
    active: "false: it is no longer listed, and new Learnings for it are refused.",
    approval_delay_days: `Days that a Learning from chat waits for an admin; null: the delay of the organization. ${firstValue}`,
  },
});

const readableRepositoryIds = eventList(identifier, (list) =>
  z.union(
    [
      z.literal("*"),
      list.refine(
        (ids) => ids.reduce((bytes, id) => bytes + readableIdBytes(id), 0) <= eventLimits.readableBytesMax,
        { error: `must not take more than ${eventLimits.readableBytesMax} bytes` },
      ),
    ],
    { error: 'must be "*" or a list of repository ids' },
  ),
);

export const memberSaved = z.object({
  ...organizationName,
  user_id: identifier,
  username: orNull(line(eventLimits.nameCharactersMax)),
  email,
  role: orNull(roleIdParameter),
  seat_assigned: z.boolean(),
  readable_repository_ids: readableRepositoryIds,
  active: z.boolean(),
});

export const memberSavedWords = (): EventWords => ({
  meaning: "A person in an organization. Waits for the organization.",
  fields: {
    ...organizationNameWords,
    user_id: "The Git provider's id of the person, unique within the organization.",
    username: "The login; null where it is not known.",
    email:
      "The e-mail address; null or empty where it is unknown. In a workspace, members with the same address are one " +
      "person.",
    role: `A system role or a custom role's UUID; null for the organization's default, which also replaces a custom role that no longer exists. ${firstValue}`,
    seat_assigned: `Whether the person gets a seat. If none is free, the person waits for one. ${firstValue}`,
    readable_repository_ids:
      'The repositories that the person can read, by the provider\'s ids; "*" for all of them.',
    active: "false: the person has left, and the keys that they own in this organization stop working.",
  },
});

const { usersMax, usersBytesMax } = teamLimits;

export const teamSaved = z.object({
  ...organizationName,
  team_id: identifier,
  name,
  user_ids: eventList(identifier, (list) =>
    list
      .max(usersMax, { error: `must have at most ${usersMax} ids` })
      .refine((ids) => Buffer.byteLength(JSON.stringify(ids)) <= usersBytesMax, {
        error: `must not take more than ${usersBytesMax} bytes`,
      }),
  ),
  active: z.boolean(),
});

export const teamSavedWords = (): EventWords => ({
  meaning: "A team of an organization, with all its members. Waits for the organization.",
  fields: {
    ...organizationNameWords,
    team_id: "Your id of the team, unique within the organization.",
    name: "For people.",
    user_ids: `Everybody in the team, by the Git provider's user ids: at most ${usersMax}, and ${usersBytesMax} bytes. A person may be in several teams; unknown ids are kept.`,
    active: "false: the team is no longer listed.",
  },
});
