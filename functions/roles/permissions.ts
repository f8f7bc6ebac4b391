import { accessTypes, permissionResources } from "../../lib/contract/access.ts";
import { listPermissions as operation } from "../../lib/contract/operations/roles.ts";
import { createHandler } from "../../lib/http/create-handler.ts";

export const handler = createHandler(operation, async () => ({
  json: { resource_ids: permissionResources, access_types: accessTypes },
}));
