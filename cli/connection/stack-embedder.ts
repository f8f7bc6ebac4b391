import * as kinds from "../../lib/contract/items.ts";
import { bedrockClient, createBedrockEmbedder } from "../../lib/index/bedrock-embedder.ts";
import type { Embedder } from "../../lib/index/embedder.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import type { AwsIdentity } from "../../lib/runtime/aws-identity.ts";
import { parseReconciler } from "../../lib/store/items/vector.ts";
import type { Table } from "../../lib/store/table.ts";
import { OperatorError } from "../errors.ts";

const bedrockPrefix = "bedrock:";

/**
 * The reconciler runs every minute and records its embedder: reading that record avoids mixing vectors of two
 * embedders. The identity's region is the region where the stack calls Bedrock.
 */
export async function embedderInUse(table: Table, identity: AwsIdentity): Promise<Embedder> {
  const noted = await table.get(kinds.reconciler.key());
  const id = noted && parseReconciler(noted).embedder;
  if (id === localEmbedder.id) return localEmbedder;
  if (!id?.startsWith(bedrockPrefix))
    throw new OperatorError(
      "The stack has not checked its review index yet. It does so every minute: try again in a minute.",
    );
  return createBedrockEmbedder(id.slice(bedrockPrefix.length), bedrockClient(identity));
}
