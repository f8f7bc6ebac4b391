import { expect, test } from "vitest";
import { StoreMeter } from "../../../lib/store/meter.ts";
import { readHead } from "../../../lib/stream/head.ts";
import { sizeOf } from "../../../lib/stream/size.ts";
import type { EntryDraft } from "../../../lib/stream/stream.ts";
import {
  dayMs,
  draft,
  everything,
  filled,
  numbered,
  readOne,
  request,
  someDayMs,
  watched,
} from "../../stream/support.ts";
import { useStore } from "../../support/engine.ts";

const store = useStore();

const commentsPerPullRequest = 8;
const typical = (index: number): EntryDraft =>
  draft(`${index}`, {
    repositoryId: "784512369",
    authorId: "10458712",
    atMs: someDayMs + index,
    payload: {
      u: `https://github.com/acme-corporation/payments-service/pull/${10_000 + index}`,
      c: Array.from({ length: commentsPerPullRequest }, (_, comment) => [
        `_r18${index}4${comment}1`,
        2,
        4,
        1,
      ]),
    },
    renderedBytes: 2_400,
  });

test("a thousand typical pull requests are one page, at most 1.3 times their bytes, one trip plus the head", async () => {
  const { table } = store();
  const { tenant, organization } = await filled(
    table,
    Array.from({ length: 1001 }, (_, index) => typical(index)),
    true,
  );
  const head = await readHead(table, tenant);
  const stored = (await everything(table)).filter(({ pk }) => pk.startsWith(`S#${tenant}#${organization}#c`));
  const bytes = stored.slice(0, 1000).reduce((sum, item) => sum + sizeOf(item), 0);
  const meter = new StoreMeter();

  const page = await readOne(table.metered(meter), request(tenant, { organization, head }));

  expect(page.entries).toHaveLength(1000);
  expect(page.nextAfter).toBe(1000);
  expect(meter.calls.map(({ operation }) => operation)).toEqual(["Query"]);
  expect(meter.readUnits).toBeLessThanOrEqual((1.3 * bytes) / 4096);
});

test("a long window in date order opens the weeks one after another", async () => {
  const { table } = store();
  const { tenant } = await filled(
    table,
    numbered(300, (index) => ({ atMs: someDayMs - 4 * 365 * dayMs + index * 5 * dayMs })),
  );
  const seen = watched(table);

  const page = await readOne(seen.table, request(tenant, { limit: 20 }));

  expect(page.entries).toHaveLength(20);
  expect(seen.queries.length).toBeLessThan(25);
});
