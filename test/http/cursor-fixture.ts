import type { Scope } from "../../lib/access/scope.ts";
import * as kinds from "../../lib/contract/items.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import { listOrganizations } from "../../lib/contract/operations/organizations.ts";
import { CursorKeyRing, createCursorKeys } from "../../lib/http/cursor-keys.ts";
import { bindPaging, openCursor } from "../../lib/http/cursors.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";
import { noEpochs } from "../../lib/store/items/scope-epochs.ts";
import { keyItem, principalOf } from "../access/principals.ts";
import { memoryTable } from "../stream/memory-table.ts";
import { TestClock } from "../support/clock.ts";

export const invalidCursor = { code: "INVALID_CURSOR" };

export const resumable: Operation = {
  ...listOrganizations,
  paging: { bindsPageSize: false, resumable: true, defaultSize: 7 },
};

/** The request of a page. */
export type PageRequest = {
  operation: Operation;
  tenant: `w#${string}`;
  selector: string;
  query: Record<string, unknown>;
  cursor: Awaited<ReturnType<typeof openCursor>>;
  organizations: readonly OrganizationItem[];
  restored: string;
  authorized: string[];
  readable: string;
};

/** Makes cursors and opens them: `walk` binds the paging of a request, `open` reads a cursor that was sent. */
export function useCursorFixture() {
  const { table } = memoryTable();
  return async (clock = new TestClock()) => {
    const ring = new CursorKeyRing({ clock });
    await createCursorKeys({ table, clock, random: systemRandom });
    ring.accept(await table.get(kinds.cursorKeys.key()));
    const walk = (change: Partial<PageRequest> = {}) => {
      const {
        operation = listOrganizations,
        tenant = "w#acme",
        selector = "all",
        query = {},
        cursor,
      } = change;
      const { organizations = [], restored, authorized = null, readable } = change;
      const key = keyItem("instance", { authorized });
      const principal = principalOf("instance", { tenant, key, scopeEpochs: { ...noEpochs, restored } });
      const scope: Scope = { selector, organizations };
      const defaultPageSize = operation.paging?.defaultSize ?? 100;
      return bindPaging(
        { ring, nowMs: clock.nowMs(), random: systemRandom },
        { operation, principal, scope, readable, query, cursor, defaultPageSize },
      );
    };
    const open = (text: string, operation: Operation = listOrganizations) =>
      openCursor({ ring, table, nowMs: clock.nowMs() }, operation, text);
    return { clock, ring, table, walk, open };
  };
}
