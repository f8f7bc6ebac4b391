/**
 * Sentences of the service that its own tool parses: an error has only a code and a sentence. Each sentence is defined
 * here once, for the service that sends it and for the tool that acts on it.
 */

/** The end of a cursor's refusal if only a new walk helps. */
export const startNewWalk = "Start again without a cursor.";

/** Why a cursor is refused that was made with a key for other organizations of the same instance. */
export const otherAuthorizedOrganizations = "was made with a key that is authorized for other organizations.";

export type LargePullRequest = {
  readonly prUrl: string;
  readonly provider: string;
  /** The Git provider's id. */
  readonly organizationId: string;
};

/** The name of a pull request in a sentence: its URL is unique only within its organization. */
export const namePullRequest = ({ prUrl, provider, organizationId }: LargePullRequest): string =>
  `${prUrl} of organization ${provider}:${organizationId}`;

/** The beginning of the 413 response for a single pull request; undefined: its name could not be read any more. */
export const takesAlone = (pullRequest: LargePullRequest | undefined, bytes: number): string =>
  `The pull request${pullRequest ? ` ${namePullRequest(pullRequest)}` : ""} alone takes ${bytes} bytes`;

const aloneForm = /^The pull request (.+) of organization ([a-z_]+):(.+) alone takes \d+ bytes/;

/** Returns the pull request that such a 413 response names. */
export function readTakesAlone(message: string): LargePullRequest | undefined {
  const [, prUrl, provider, organizationId] = aloneForm.exec(message) ?? [];
  if (prUrl === undefined || provider === undefined || organizationId === undefined) return undefined;
  return { prUrl, provider, organizationId };
}
