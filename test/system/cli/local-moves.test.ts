import { expect, test } from "vitest";
import { organizationUuid } from "../../../lib/contract/identity.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { openStore } from "../../../lib/store/open.ts";
import { event, soloOrganization } from "../../cli/support.ts";
import { useService } from "../../support/service.ts";

const organization = soloOrganization("42", "acme");
useService({ events: [event(1, "organization.saved", organization)] });

test("the local service continues a move that its event has left at once, and not with the next minute", async () => {
  const { table } = openStore();
  const uuid = organizationUuid(organization);
  const leaving = async () => (await table.get(kinds.organization.key({ organization: uuid })))?.leaving;
  // The first run begins with the service and may take the first move along. With runs of a minute nobody would
  // continue the second one in time.
  for (const _ of ["first", "second"]) {
    await table.transact([
      {
        update: kinds.organization.key({ organization: uuid }),
        change: { set: [["leaving", "w#elsewhere"]] },
      },
      { put: kinds.moving.key({ organization: uuid }) },
    ]);
    await expect.poll(leaving, { timeout: 30_000, interval: 200 }).toBeUndefined();
  }
  expect(await table.get(kinds.moving.key({ organization: uuid }))).toBeUndefined();
});
