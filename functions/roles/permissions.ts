import { accessTypes, permissionResources } from "../../lib/contract/access.ts";
import { listPermissions as operation } from "../../lib/contract/operations/roles.ts";
import { lambda } from "../../lib/http/lambda.ts";

export const handler = lambda(operation, async () => ({
  json: { resource_ids: permissionResources, access_types: accessTypes },
}));
