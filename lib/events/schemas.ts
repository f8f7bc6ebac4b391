import * as z from "zod";
import { deployments, metricsStates, plans, providers, seatAssignmentModes } from "../contract/access.ts";
import { repositoryAddress, withoutCredentials } from "../contract/addresses.ts";
import { eventList } from "../contract/event-list.ts";
import { eventLimits } from "../contract/limits.ts";
import { emailAddress, identifier, wellFormed } from "../contract/parameters.ts";
import { readableIdBytes } from "../people/reads.ts";

/**
 * The data of the platform's events. Every field that is used is validated strictly; further fields are ignored. A
 * field that may be null may also be omitted.
 */

const orNull = <Output>(schema: z.ZodType<Output>) =>
  schema.nullish().transform((value): Output | null => value ?? null);

const line = (charactersMax: number) =>
  z
    .string()
    .min(1)
    .max(charactersMax)
    .refine(wellFormed, { error: "must not contain NUL or unpaired surrogate characters" });

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

/** Every event about something inside an organization names the organization with these. */
const organizationName = {
  provider: z.enum(providers),
  instance_id: orNull(identifier),
  provider_organization_id: identifier,
};
export const organizationNameSchema = z.object(organizationName);

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

export const instanceSaved = z.object({
  id: identifier,
  name,
  provider: z.enum(providers),
  base_url: webAddress.transform(withoutCredentials),
  active: z.boolean(),
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
  role: orNull(identifier),
  seat_assigned: z.boolean(),
  readable_repository_ids: readableRepositoryIds,
  active: z.boolean(),
});
