import * as z from "zod";

/** What the colleague's handler knows beforehand, since it does not authenticate the caller. */
export const colleaguePlan = z.object({
  organizationId: z.string(),
  keys: z.array(z.object({ pk: z.string(), sk: z.string() })),
  /** The partition of the measured week. */
  pk: z.string(),
  upTo: z.string(),
  limit: z.int(),
});
export type ColleaguePlan = z.output<typeof colleaguePlan>;

/** Passed by the environment, like all settings of a handler. */
export const colleaguePlanVariable = "COLLEAGUE_PLAN";
