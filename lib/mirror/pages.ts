import { pagesInHalves } from "../client/pages-in-halves.ts";
import { readTakesAlone } from "../contract/sentences.ts";
import type { ExportPage, ExportWalk } from "./sources.ts";

/** All pages of a walk from a cursor; a record that is too large for any answer is a page of its own. */
export const exportPages = (walk: ExportWalk, cursor: string | undefined): AsyncGenerator<ExportPage> =>
  pagesInHalves(walk.page, ({ nextCursor }) => nextCursor, {
    cursor,
    pageSizeMax: walk.pageSizeMax,
    passOver(error, nextCursor) {
      const found = readTakesAlone(error.message);
      if (!found) throw error;
      return {
        changes: [{ kind: "too-large", fields: found }],
        nextCursor,
        resumeCursor: null,
      };
    },
  });
