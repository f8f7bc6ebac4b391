/** One bucket for the writes: ten per minute in an organization, in any combination. */
export const writeLimit = {
  bucket: "learnings-write",
  requestsMax: 10,
  windowSeconds: 60,
  owner: "organization",
} as const;

export const readLimit = {
  bucket: "learnings",
  requestsMax: 60,
  windowSeconds: 60,
  owner: "quota",
} as const;
