/**
 * Sentences of the service that its own tool reads: an error has a code and a sentence, and no field for more. Each
 * stands here once, for the service that says it and for the tool that acts on it.
 */

/** Ends the refusal of a cursor that only a new walk can replace. */
export const startNewWalk = "Start a new walk.";

/** Why a cursor is refused that came with a key of other organizations of the same instance. */
export const otherAuthorizedOrganizations = "was made with a key that is authorized for other organizations.";

export type LargePullRequest = {
  readonly prUrl: string;
  readonly provider: string;
  /** The Git provider's. */
  readonly organizationId: string;
};

/** How a sentence names a pull request: its URL is unique only within its organization. */
export const namePullRequest = ({ prUrl, provider, organizationId }: LargePullRequest): string =>
  `${prUrl} of organization ${provider}:${organizationId}`;

/** Begins the 413 of a single pull request; undefined: its name could not be read any more. */
export const takesAlone = (pullRequest: LargePullRequest | undefined, bytes: number): string =>
  `The pull request${pullRequest ? ` ${namePullRequest(pullRequest)}` : ""} alone takes ${bytes} bytes`;

const aloneForm = /^The pull request (.+) of organization ([a-z_]+):(.+) alone takes \d+ bytes/;

/** Which pull request such a 413 is about. */
export function readTakesAlone(message: string): LargePullRequest | undefined {
  const [, prUrl, provider, organizationId] = aloneForm.exec(message) ?? [];
  if (prUrl === undefined || provider === undefined || organizationId === undefined) return undefined;
  return { prUrl, provider, organizationId };
}
