import { describe, expect, test } from "vitest";
import { organizationTenant } from "../../lib/contract/tenants.ts";
import { appendBatch } from "../../lib/stream/append.ts";
import { moveOrganization } from "../../lib/stream/move.ts";
import { useStore } from "../support/engine.ts";
import {
  change,
  depsOf,
  draft,
  everything,
  everywhere,
  newOrganization,
  newWorkspace,
  readOne,
  request,
  setTenant,
  texts,
  walk,
} from "./support.ts";

const store = useStore();
const large = (fill: number) => draft("large", { payload: new Uint8Array(40_000).fill(fill) });

describe("an organization that changes tenant", () => {
  test("an organization that changes tenant takes even large pull requests along and leaves nothing behind", async () => {
    const { table } = store();
    const deps = depsOf(table);
    const old = newWorkspace();
    const { organization } = await newOrganization(table, old);
    const neighbour = await newOrganization(table, old);
    const changes = Array.from({ length: 23 }, (_, index) =>
      change(organization, `pr/${index}`, index, everywhere(`${index}`)),
    );
    await appendBatch(deps, old, [
      ...changes,
      change(organization, "pr/large", 30, { "review-comments": large(7) }),
      change(organization, "pr/removed", 31, {}),
      change(neighbour.organization, "pr/1", 32, everywhere("neighbour")),
    ]);
    const to = organizationTenant(organization);
    await setTenant(table, organization, to);

    const result = await moveOrganization(deps, { organization, from: [old], to });

    expect(result).toEqual({ isComplete: true, moved: 24 });
    expect(texts(await walk(table, request(old)))).toEqual(["neighbour"]);
    const here = await readOne(table, request(to));
    expect(here.entries).toHaveLength(24);
    expect(
      here.entries.filter(({ payload }) => payload instanceof Uint8Array && payload[39_999] === 7),
    ).toHaveLength(1);
    const leftovers = (await everything(table)).filter(({ pk }) => pk.startsWith(`S#${old}#${organization}`));
    expect(leftovers).toEqual([]);
  });

  test("an organization can change tenant repeatedly, and a repeated or late move does nothing", async () => {
    const { table } = store();
    const deps = depsOf(table);
    const [one, other] = [newWorkspace(), newWorkspace()];
    const { organization } = await newOrganization(table, one);
    await appendBatch(deps, one, [change(organization, "pr/1", 1, everywhere("text"))]);
    await setTenant(table, organization, other);
    await moveOrganization(deps, { organization, from: [one], to: other });
    await setTenant(table, organization, one);
    await moveOrganization(deps, { organization, from: [other], to: one });

    const repeated = await moveOrganization(deps, { organization, from: [other], to: one });
    const late = await moveOrganization(deps, { organization, from: [one], to: other });

    expect(repeated).toEqual({ isComplete: true, moved: 0 });
    expect(late).toEqual({ isComplete: false, moved: 0 });
    expect(texts(await walk(table, request(one)))).toEqual(["text"]);
    expect(await walk(table, request(other))).toEqual([[]]);
  });

  test("an organization that changes tenant is moved by its own events if they come before the move", async () => {
    const { table } = store();
    const deps = depsOf(table);
    const [one, other] = [newWorkspace(), newWorkspace()];
    const { organization } = await newOrganization(table, one);
    const event = change(organization, "pr/1", 1, everywhere("text"));
    await appendBatch(deps, one, [event]);
    await setTenant(table, organization, other);

    const outcomes = await appendBatch(deps, other, [event]);

    expect(outcomes).toEqual(["appended"]);
    expect(texts(await walk(table, request(other)))).toEqual(["text"]);
    expect(await walk(table, request(one))).toEqual([[]]);
  });
});
