import { pagesInHalves } from "../../lib/client/pages-in-halves.ts";
import type { ExportPage, Walk } from "./sources.ts";

/** All pages of a walk from a cursor on; a record that is too large for any answer is a page of its own. */
export const pagesOf = (walk: Walk, cursor: string | undefined): AsyncGenerator<ExportPage> =>
  pagesInHalves(walk.page, ({ nextCursor }) => nextCursor, {
    cursor,
    pageSizeMax: walk.pageSizeMax,
    passOver(error, nextCursor) {
      // The only place that names the record is the sentence.
      const id = /^The pull request (.+) alone takes \d+ bytes/.exec(error.message)?.[1];
      if (id === undefined) throw error;
      return { changes: [{ kind: "too-large", id }], nextCursor, resumeCursor: null };
    },
  });
