import * as kinds from "../contract/items.ts";
import { bedrockClient, createBedrockEmbedder } from "../index/bedrock-embedder.ts";
import type { Embedder } from "../index/embedder.ts";
import { localEmbedder } from "../index/local-embedder.ts";
import type { AwsIdentity } from "../runtime/aws-identity.ts";
import { OperatorError } from "../runtime/operator-error.ts";
import { parseReconciler } from "../store/items/vector.ts";
import type { Table } from "../store/table.ts";

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
