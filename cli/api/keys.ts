import type { AnswerOf } from "../../lib/client/client.ts";
import { keyLimits, pageLimits } from "../../lib/contract/limits.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import type { Command } from "../command.ts";
import { apiOptions } from "../connection/named-target.ts";
import { listFormatOf, listOptions } from "../listing.ts";
import {
  afterRotation,
  type KeyRow,
  keyFilter,
  keyFilterOptions,
  showIssuedRow,
  showKeyRows,
  showRevoked,
} from "../show-keys.ts";
import { callApi, orgOption, orgQuery } from "./call.ts";

const keyId = { name: "KEY_ID", required: true, help: "the id that `keys list` shows" };

export const list: Command = {
  name: "list",
  summary: "List keys without their secrets, also those that no longer work",
  connects: true,
  options: {
    ...orgOption,
    ...keyFilterOptions,
    ...listOptions,
    ...apiOptions,
  },
  examples: ["keys list --active", "keys list --expiring-in 30", "keys list --unused-for 90 --format csv"],
  run: (input, terminal, findTarget) => {
    listFormatOf(input);
    const isWanted = keyFilter(input, systemClock.nowMs());
    return callApi(input, findTarget, async (client) => {
      const rows: KeyRow[] = [];
      const query = { ...orgQuery(input), limit: pageLimits.keys.max };
      for await (const { body } of client.pages("listKeys", { query })) rows.push(...body.keys.map(rowOf));
      showKeyRows(input, terminal, rows.filter(isWanted));
    });
  },
};

type ListedKey = AnswerOf<"listKeys">["keys"][number];

const rowOf = ({ organizations, successor_id: _, ...key }: ListedKey): KeyRow => ({
  ...key,
  bound_to: organizations === null ? "all" : organizations.join(", "),
});

export const rotate: Command = {
  name: "rotate",
  summary:
    "Replace a key with a new one that has the same rights; the old key works until its grace period ends",
  connects: true,
  argument: keyId,
  options: {
    "grace-seconds": { value: "N", help: "how long the old key still works; 0: it ends now", required: true },
    ...apiOptions,
  },
  examples: ["keys rotate KEY_ID --grace-seconds 86400"],
  run: (input, terminal, findTarget) => {
    const max = keyLimits.graceSecondsMax;
    const grace_seconds = input.integer("grace-seconds", { min: 0, max }) ?? 0;
    const key_id = input.requiredArgument("KEY_ID");
    return callApi(input, findTarget, (client) => {
      const rotate = async () => (await client.rotateKey({ path: { key_id }, body: { grace_seconds } })).body;
      const next = (successor: string) =>
        `${afterRotation(input)(successor)}\nIf the key that you call with is the old one and has ended, an Admin key or the operator can do this.`;
      return showIssuedRow(input, terminal, rotate, next);
    });
  },
};

export const revoke: Command = {
  name: "revoke",
  summary: "End a key now, with its successors and the keys before it that still work",
  connects: true,
  argument: keyId,
  options: apiOptions,
  examples: ["keys revoke KEY_ID"],
  run: (input, terminal, findTarget) => {
    const key_id = input.requiredArgument("KEY_ID");
    return callApi(input, findTarget, async (client) => {
      await client.deleteKey({ path: { key_id } });
      showRevoked(input, terminal, key_id);
    });
  },
};

export const commands: readonly Command[] = [list, rotate, revoke];
