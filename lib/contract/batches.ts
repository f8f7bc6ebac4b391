import * as z from "zod";
import { peopleLimits } from "./limits.ts";

/** What the operations that change many people at once have in common. */

const { batchUsersMax } = peopleLimits;

export const userIdsWords = "The people, by the Git provider's user ids; 1 to 500. Repeated ids count once.";

export const batchOf = <Element extends z.ZodType>(element: Element) =>
  z
    .array(element, { error: "must be an array of strings" })
    .min(1, { error: `must have 1 to ${batchUsersMax} elements` })
    .max(batchUsersMax);

export const dryRunWords =
  "true: returns what would happen and changes nothing. Default `false`. Left out of a response unless requested.";

/** Counts against the limit like the change itself. */
export const dryRun = z.boolean({ error: "must be true or false" }).default(false).describe(dryRunWords);

/** Ten requests in any 60 seconds, counted for the organization that the request changes. */
export const tenAMinute = (bucket: string) =>
  ({ bucket, requestsMax: 10, windowSeconds: 60, owner: "organization" }) as const;

/** Both ways to change the roles of members count in one window. */
export const roleChangesLimit = tenAMinute("role-changes");
