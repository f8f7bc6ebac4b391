import { endWithinReach, keyAlongside } from "../../lib/access/manage-keys.ts";
import { deleteKey as operation } from "../../lib/contract/operations/keys.ts";
import { lambda } from "../../lib/http/lambda.ts";

export const handler = lambda(
  operation,
  async (call) => {
    await endWithinReach(call, call.alongside[0]);
    return { empty: true };
  },
  { alongside: keyAlongside },
);
