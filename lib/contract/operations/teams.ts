import * as z from "zod";
import { pageLimits } from "../limits.ts";
import { noLegacyKey, operation } from "../operation.ts";
import { organizationSelector, organizationsFilter, pageParameters } from "../parameters.ts";
import { pageAnswer } from "../records.ts";
import { teamRecord } from "../records-people.ts";

const { teams: page } = pageLimits;

export const listTeams = operation({
  id: "listTeams",
  source: "teams/list",
  method: "GET",
  path: "/v1/teams",
  tag: "Users",
  only: "organizations:read",
  summary: "List the teams and their members",
  description:
    "The active teams of the organizations, as the platform sent them. A person can be in several teams, and in none. Join " +
    "`user_ids` with `author_id` of the metrics, within the organization.",
  query: z.strictObject({ ...pageParameters(page), ...organizationSelector, ...organizationsFilter }),
  answer: pageAnswer("One page of teams", { teams: z.array(teamRecord).describe("The teams of this page.") }),
  keys: noLegacyKey,
  plan: "enterprise",
  needs: "organization_management:read",
  organization: "optional",
  instanceScope: "authorized",
  rateLimit: { bucket: "teams", requestsMax: 60, windowSeconds: 60, owner: "quota" },
  paging: { bindsPageSize: false, resumable: false, defaultSize: page.default },
  streaming: true,
  narrowing: "Reduce limit.",
  reads: { query: ["team"] },
});
