import * as z from "zod";
import { keyKinds } from "../contract/access.ts";
import { isWithinOnly } from "../contract/only.ts";
import type { OperationTool, ToolListing, ToolPolicy } from "./operation-tool.ts";

/** What `GET /v1/whoami` says about the key. */
export const caller = z.object({
  key: z.object({ kind: z.enum(keyKinds), only: z.array(z.string()).nullable().default(null) }),
  role: z.string().nullable(),
  permissions: z.array(z.string()),
});
export type Caller = z.output<typeof caller>;

/** Whether the key may call every operation of the tool. The organization's plan is not known here: the API answers it. */
export const mayCall = ({ uses }: { readonly uses: readonly ToolPolicy[] }, caller: Caller): boolean =>
  uses.every((operation) => mayUse(operation, caller));

function mayUse(
  { kinds, needs, needsOfKind, only }: ToolPolicy,
  { key, role, permissions }: Caller,
): boolean {
  const isAllowed = (needed: string | null | undefined) =>
    needed === null ||
    needed === undefined ||
    (needed === "admin" ? role === "cr_admin" : permissions.includes(needed));
  const isInKind = kinds.includes(key.kind) && isAllowed(needsOfKind[key.kind]);
  return isInKind && isAllowed(needs) && isWithinOnly(key.only, only);
}

/** The tool without the arguments that this kind of key cannot use. */
export function listingFor(
  {
    listing,
    kindsOfArgument,
    workspaceNames,
  }: Pick<OperationTool, "kindsOfArgument" | "workspaceNames" | "listing">,
  { key }: Caller,
): ToolListing {
  const { properties, required: always = [], ...schema } = listing.inputSchema;
  const required =
    workspaceNames !== undefined && key.kind === "workspace" ? [...always, workspaceNames] : always;
  const usable = Object.entries(properties).filter(
    ([name]) => kindsOfArgument[name]?.includes(key.kind) ?? true,
  );
  const names = required.length > 0 ? { required } : {};
  return { ...listing, inputSchema: { ...schema, properties: Object.fromEntries(usable), ...names } };
}
