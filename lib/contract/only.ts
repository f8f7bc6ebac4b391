/**
 * What a narrow key may do (`only`): an area, and whether the key may change things there. Every value is of an
 * operation, so there is no `metrics:write`.
 */
export const onlyValues = [
  ...(["metrics:read", "learnings:read", "learnings:write", "organizations:read"] as const),
  ...(["people:read", "people:write", "roles:read", "roles:write"] as const),
  ...(["audit_logs:read", "security:read"] as const),
  ...(["keys:read", "keys:write", "webhooks:read", "webhooks:write"] as const),
] as const;
export type Only = (typeof onlyValues)[number];

/** What a key may do; null or undefined: everything that its kind and role allow. */
export type OnlyList = readonly string[] | null | undefined;

/** Whether the list contains the value; `:write` includes `:read`. An empty list, or one of unknown values, allows nothing. */
export const isWithinOnly = (only: OnlyList, needed: Only | null): boolean =>
  !only || needed === null || only.includes(needed) || only.includes(needed.replace(/:read$/, ":write"));

export const isOnly = (value: string): value is Only => onlyValues.some((each) => each === value);
