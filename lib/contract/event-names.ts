/** The event types of the platform, in the order of dependence. lib/events implements each of them. */
export const eventTypeNames = [
  "workspace.saved",
  "instance.saved",
  "organization.saved",
  "repository.saved",
  "member.saved",
  "team.saved",
  "pull_request.finalized",
  "learning.captured",
  "learning.used",
  "security_scan.completed",
] as const;
export type EventTypeName = (typeof eventTypeNames)[number];
