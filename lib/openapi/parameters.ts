import type { Operation } from "../contract/operation.ts";

const selectors = {
  optional: "Workspace tokens may name one organization, by the Git provider's id. Other keys ignore it.",
  required: "Workspace tokens must name one organization, by the Git provider's id. Other keys ignore it.",
  refused: "Workspace tokens must not send it. Other keys ignore it.",
  ignored: "Ignored.",
} as const;

export const describeSelector = ({ organization }: Operation): string => selectors[organization];

/** Where the policy of the operation decides what a parameter means, or what the contract says beside the field. */
export function describeParameter(
  { organization, body, paging }: Operation,
  name: string,
  meaning: string,
): string {
  if (name === "org_id")
    return body && organization === "required"
      ? "Send it in the body instead. A different value here is an error, for keys that read `org_id`."
      : selectors[organization];
  if (name === "cursor" && paging?.resumable)
    return "`next_cursor` of the previous page, or a stored `x-resume-cursor`, with the same filters.";
  if (name === "cursor" && paging?.bindsPageSize)
    return "`next_cursor` of the previous page, with the same filters and the same `limit`.";
  return meaning;
}
