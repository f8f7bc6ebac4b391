import { ApiError } from "../contract/api-error.ts";
import { requestLimits } from "../contract/limits.ts";
import { type LargePullRequest, namePullRequest, takesAlone } from "../contract/sentences.ts";
import { required } from "../runtime/required.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import type { StreamEntry } from "../stream/stream.ts";

type PageOwner = Pick<OrganizationItem, "provider" | "provider_organization_id">;

export type TooLargePage = {
  /** A lower bound. */
  readonly answerBytes: number;
  readonly largest: {
    /** Undefined if it could not be read any more. */
    readonly prUrl: string | undefined;
    readonly organization: PageOwner;
    readonly repositoryId: string;
    readonly bytes: number;
  };
  readonly pageSize: number;
  /** The cursor of the position after the page. */
  readonly behind: string;
};

/**
 * A pull request is never split, so a single one may be too large. At `limit=1` it is clear which one it is: the header
 * then holds the position after it. Otherwise it would block the walk and every resume for ever.
 */
export function pageTooLarge({ answerBytes, largest, pageSize, behind }: TooLargePage): ApiError {
  const max = requestLimits.responseBytesMax;
  const isAlone = pageSize === 1;
  const named = nameOf(largest);
  const message = isAlone
    ? `${takesAlone(named, largest.bytes)}; a response has at most ${max}, and this one would have at least ` +
      `${answerBytes}. A pull request is never split. To continue after it, send x-next-cursor of this response as cursor.`
    : `The response would have at least ${answerBytes} bytes; it may have ${max}. Reduce limit, narrow the window or ` +
      `add filters. The largest pull request here, ${named ? namePullRequest(named) : "one"} in repository ` +
      `${largest.repositoryId}, takes ${largest.bytes} bytes. With limit=1, a response that is still too large says how ` +
      "to continue after it.";
  return new ApiError("RESPONSE_TOO_LARGE", message, {
    ...(isAlone && { headers: { "x-next-cursor": behind } }),
  });
}

const nameOf = ({ prUrl, organization }: TooLargePage["largest"]): LargePullRequest | undefined => {
  const { provider, provider_organization_id: organization_id } = organization;
  return prUrl === undefined ? undefined : { pr_url: prUrl, provider, organization_id };
};

type FinishedPage = {
  readonly nextCursor: string | null;
  readonly resumeCursor: string | null;
  readonly records: ReadonlyArray<{ readonly entry: StreamEntry; readonly organization: PageOwner }>;
};

/** Names, removals, cursors and a format other than JSON make it larger than the walk has counted. */
export function checkAnswerSize(
  { paging }: { readonly paging: { readonly pageSize: number } },
  page: FinishedPage,
  answerBytes: number,
  prUrlOf: (entry: StreamEntry) => string,
): void {
  if (answerBytes <= requestLimits.responseBytesMax || page.records.length === 0) return;
  const { entry, organization } = page.records.reduce((one, other) =>
    other.entry.renderedBytes > one.entry.renderedBytes ? other : one,
  );
  const { repositoryId, renderedBytes: bytes } = entry;
  throw pageTooLarge({
    answerBytes,
    largest: { prUrl: prUrlOf(entry), organization, repositoryId, bytes },
    pageSize: paging.pageSize,
    behind: required(page.nextCursor ?? page.resumeCursor, "cursor of a page"),
  });
}
