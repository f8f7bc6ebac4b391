import type { Client } from "../client/client.ts";
import { ReviewApiError } from "../client/error.ts";
import { OperatorError } from "../runtime/operator-error.ts";

/**
 * An empty file of findings looks like a clean repository, so a mistyped id is an error. Without any finding, in any
 * state, the repository was never scanned or its scans found nothing: the API does not tell which.
 */
export async function checkRepository(
  client: Client,
  { repo_id, organization_ids }: { readonly repo_id: string; readonly organization_ids?: string | undefined },
  say: (sentence: string) => void,
): Promise<void> {
  const query = { repo_id, organization_ids, state: "all", limit: 1 } as const;
  const { body } = await client.listSecurityFindings({ query });
  if (body.data.length > 0) return;
  const known = await isKnown(client, repo_id);
  if (known === false)
    throw new OperatorError(
      `There is no active repository ${repo_id} in the organizations of this key. GET /v1/organizations/{organization_id}/repositories lists them, with their provider_repository_id.`,
    );
  say(
    known
      ? `Repository ${repo_id} has no findings in any state: it was never scanned, or its scans found nothing.`
      : `There are no findings of repository ${repo_id} in any state. This key may not list repositories, so it is not known whether the repository exists.`,
  );
}

/** Undefined if the key may not list repositories. */
async function isKnown(client: Client, repositoryId: string): Promise<boolean | undefined> {
  try {
    for await (const { body } of client.pages("listOrganizations"))
      for (const { id } of body.organizations)
        for await (const page of client.pages("listRepositories", { path: { organization_id: id } }))
          if (page.body.repositories.some((each) => each.provider_repository_id === repositoryId))
            return true;
    return false;
  } catch (error) {
    if (error instanceof ReviewApiError && [403, 410].includes(error.status)) return undefined;
    throw error;
  }
}
