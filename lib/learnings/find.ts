import type { OperationContext } from "../access/operation-context.ts";
import type { ReadableRepositories } from "../access/readable.ts";
import * as kinds from "../contract/items.ts";
import { indexLimits, learningLimits } from "../contract/limits.ts";
import { type LearningItem, parseLearning } from "../store/items/learning.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { vectorKey } from "../store/layout.ts";
import { getUnlessAhead, type ReadAhead } from "../store/read-ahead.ts";
import type { Key, Table } from "../store/table.ts";

export type LocatedLearning = { readonly organization: OrganizationItem; readonly learning: LearningItem };

/** For the request chain: the key of the Learning in the path, if the API key determines its organization. */
export const learningPrefetch = (
  _tenant: string,
  { organization, path }: { readonly organization: string | undefined; readonly path: PathValues },
): readonly Key[] => {
  const { learning_id: id } = path;
  const isReadable = organization !== undefined && id && id.length <= learningLimits.idCharactersMax;
  return isReadable ? [kinds.learning.key({ organization, learningId: id })] : [];
};
type PathValues = { readonly [name: string]: string | undefined };

/** The Learning that a caller asks for, and what the caller can see. */
export type LearningRequest = {
  readonly organizations: readonly OrganizationItem[];
  readonly readable: ReadableRepositories;
  readonly id: string;
  /** What was read together with authentication. */
  readonly ahead?: ReadAhead | undefined;
};

/** The Learning that the path of a call names. */
export const requestedLearning = ({
  scope: { organizations },
  readable,
  input: { path },
  prefetched: ahead,
}: Pick<OperationContext, "scope" | "readable" | "prefetched"> & {
  readonly input: { readonly path: { readonly learning_id: string } };
}): LearningRequest => ({ organizations, readable, id: path.learning_id, ahead });

/** The organization of the scope that has the Learning: an id does not show which organization it belongs to. */
export async function findLearning(
  table: Table,
  organizations: readonly OrganizationItem[],
  id: string,
  ahead?: ReadAhead,
): Promise<LocatedLearning | undefined> {
  const keys = organizations.map(({ uuid }) => kinds.learning.key({ organization: uuid, learningId: id }));
  const items = await getUnlessAhead(table, keys, ahead);
  for (const [index, organization] of organizations.entries()) {
    const item = items[index];
    if (item) return { organization, learning: parseLearning(item) };
  }
  return undefined;
}

/** For the request chain: the organization of the requested Learning. */
export const locateLearning = async ({
  scope,
  input,
  table,
}: {
  readonly scope: { readonly organizations: readonly OrganizationItem[] };
  readonly input: { readonly path: { readonly learning_id: string } };
  readonly table: Table;
}): Promise<OrganizationItem | undefined> =>
  (await findLearning(table, scope.organizations, input.path.learning_id))?.organization;

type Orphan = Key & { readonly revision: string };

/** Leftovers of a deletion. Further pieces only if there is a first one; the reconciler removes others. */
export async function findOrphans(
  table: Table,
  organizations: readonly OrganizationItem[],
  id: string,
): Promise<readonly Orphan[]> {
  const firsts = await readOrphans(
    table,
    organizations.map(({ uuid }) => vectorKey(uuid, id)),
  );
  const further = firsts.flatMap(({ pk }) => furtherPieces.map((piece) => ({ pk, sk: `${id}#${piece}` })));
  return [...firsts, ...(further.length > 0 ? await readOrphans(table, further) : [])];
}

const furtherPieces = Array.from({ length: indexLimits.piecesMax - 1 }, (_, index) => index + 1);

async function readOrphans(table: Table, keys: readonly Key[]): Promise<Orphan[]> {
  const heads = await table.getMany(keys, { only: ["revision"] });
  return heads.flatMap((head) =>
    head && typeof head.revision === "string" ? [{ pk: head.pk, sk: head.sk, revision: head.revision }] : [],
  );
}
