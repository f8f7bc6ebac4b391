import { ReviewApiError } from "./error.ts";

export type PageRequest = { readonly cursor: string | undefined; readonly limit: number };

type Options<Page> = {
  readonly cursor: string | undefined;
  readonly pageSizeMax: number;
  /**
   * Returns the page that replaces a single record that is too large for any response. Without this function, or if the
   * response has no cursor of the position after the record, the walk ends with the error.
   */
  passOver?(error: ReviewApiError, nextCursor: string): Page;
};

/**
 * Reads page after page. A page that is too large is requested again with half the size; a cursor works with any size.
 */
export async function* pagesInHalves<Page>(
  ask: (place: PageRequest) => Promise<Page>,
  nextCursorOf: (page: Page) => string | null,
  { cursor, pageSizeMax, passOver }: Options<Page>,
): AsyncGenerator<Page> {
  let place: PageRequest = { cursor, limit: pageSizeMax };
  for (;;) {
    const answer = await ask(place).then(
      (page) => ({ page }),
      (error: unknown) => {
        if (!isTooLarge(error)) throw error;
        if (place.limit > 1) return undefined;
        if (!passOver || error.nextCursor === null) throw error;
        return { page: passOver(error, error.nextCursor) };
      },
    );
    if (!answer) {
      place = { ...place, limit: Math.floor(place.limit / 2) };
      continue;
    }
    yield answer.page;
    const next = nextCursorOf(answer.page);
    if (next === null) return;
    place = { cursor: next, limit: Math.min(pageSizeMax, place.limit * 2) };
  }
}

/** The bodies of a whole list. */
export async function* bodiesInHalves<Body extends { readonly next_cursor: string | null }>(
  ask: (place: PageRequest) => Promise<{ readonly body: Body }>,
  pageSizeMax: number,
): AsyncGenerator<Body> {
  const pages = pagesInHalves(ask, ({ body }) => body.next_cursor, { cursor: undefined, pageSizeMax });
  for await (const { body } of pages) yield body;
}

const isTooLarge = (error: unknown): error is ReviewApiError =>
  error instanceof ReviewApiError && error.code === "RESPONSE_TOO_LARGE";
