import { ReviewApiError } from "./error.ts";

export type PageRequest = { readonly cursor: string | undefined; readonly limit: number };

/**
 * Page after page. One that is too large is asked for again in halves, since a cursor does not bind the size; a
 * single record that is too large on its own nobody can have.
 */
export async function* pagesInHalves<Page>(
  ask: (place: PageRequest) => Promise<Page>,
  nextCursorOf: (page: Page) => string | null,
  { cursor, pageSizeMax }: { readonly cursor: string | undefined; readonly pageSizeMax: number },
): AsyncGenerator<Page> {
  let place: PageRequest = { cursor, limit: pageSizeMax };
  for (;;) {
    const answer = await ask(place).then(
      (page) => ({ page }),
      (error: unknown) => {
        if (!isTooLarge(error) || place.limit === 1) throw error;
        return undefined;
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

const isTooLarge = (error: unknown): boolean =>
  error instanceof ReviewApiError && error.code === "RESPONSE_TOO_LARGE";
