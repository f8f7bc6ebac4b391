import { pageLimits } from "../../lib/contract/limits.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import type { Command } from "../command.ts";
import { listFormatOf, listOptions } from "../listing.ts";
import {
  afterRotation,
  alsoEnded,
  type KeyRow,
  keyFilter,
  keyFilterOptions,
  keyRowOf,
  showIssuedRow,
  showKeyRows,
} from "../show-keys.ts";
import { orgOption, orgQuery, overHttp, type SharedCommand } from "./call.ts";

const keyId = { name: "KEY_ID", required: true, help: "the id that `keys list` shows" };

const list: SharedCommand = {
  name: "list",
  summary: "List keys without their secrets, also those that no longer work",
  options: { ...orgOption, ...keyFilterOptions, ...listOptions },
  examples: ["keys list --active", "keys list --expiring-in 30", "keys list --unused-for 90 --format csv"],
  run: (input, terminal, withCaller) => {
    listFormatOf(input);
    const isWanted = keyFilter(input, systemClock.nowMs());
    return withCaller(async (caller) => {
      const rows: KeyRow[] = [];
      const query = { ...orgQuery(input), limit: pageLimits.keys.max };
      for await (const { body } of caller.pages("listKeys", { query })) rows.push(...body.keys.map(keyRowOf));
      showKeyRows(input, terminal, rows.filter(isWanted));
    });
  },
};

const rotate: SharedCommand = {
  name: "rotate",
  summary:
    "Replace a key with a new one that has the same rights; the old key works until its grace period ends",
  argument: keyId,
  options: {
    "grace-seconds": { value: "N", help: "how long the old key still works; 0: it ends now", required: true },
  },
  operatorOptions: {
    owner: { value: "USER", help: "for a legacy key: the member who owns the new organization key" },
  },
  examples: ["keys rotate KEY_ID --grace-seconds 86400"],
  run: (input, terminal, withCaller) => {
    // The longest grace is the service's to know: the operator may give more than a key.
    const bounds = { min: 0, max: Number.MAX_SAFE_INTEGER };
    const body = { grace_seconds: input.integer("grace-seconds", bounds), owner: input.text("owner") };
    const path = { key_id: input.requiredArgument(keyId.name) };
    return withCaller((caller) =>
      showIssuedRow(
        input,
        terminal,
        async () => (await caller.rotateKey({ path, body })).body,
        afterRotation(input),
      ),
    );
  },
};

const revoke: SharedCommand = {
  name: "revoke",
  summary: "End a key now, with its successors and the keys before it that still work",
  argument: keyId,
  examples: ["keys revoke KEY_ID"],
  run: (input, terminal, withCaller) => {
    const id = input.requiredArgument(keyId.name);
    return withCaller(async (caller) => {
      const { body } = await caller.deleteKey({ path: { key_id: id } });
      if (input.flag("json")) terminal.out(JSON.stringify({ id, revoked: true, ...body }));
      else terminal.say(`Key ${id} is revoked${alsoEnded(id, body?.revoked_key_ids)}.`);
    });
  },
};

export const shared: readonly SharedCommand[] = [list, rotate, revoke];
export const commands: readonly Command[] = shared.map(overHttp);
