import { keyLimits, pageLimits, requestLimits } from "../../lib/contract/limits.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { UsageError } from "../../lib/runtime/operator-error.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import type { Command, CommandInput } from "../command.ts";
import { listOptions, showList } from "../listing.ts";
import {
  alsoEnded,
  graceOption,
  type KeyRow,
  keyFilter,
  keyFilterOptions,
  keyRowOf,
  onlyOf,
  onlyOption,
  showIssuedRow,
  showKeyRows,
} from "../show-keys.ts";
import { commandFor } from "../show-once.ts";
import type { Terminal } from "../terminal.ts";
import { orgOption, orgQuery, overHttp, type SharedCommand, type WithCaller } from "./call.ts";

const keyId = { name: "KEY_ID", required: true, help: "the id that `keys list` shows" };

const list: SharedCommand = {
  name: "list",
  summary: "List keys without their secrets, also those that no longer work",
  options: { ...orgOption, ...keyFilterOptions, ...listOptions },
  examples: ["keys list --active", "keys list --expiring-in 30", "keys list --unused-for 90 --format csv"],
  run: (input, terminal, withCaller) => {
    const isWanted = keyFilter(input, systemClock.nowMs());
    return withCaller(async (caller) => {
      const rows: KeyRow[] = [];
      const query = { ...orgQuery(input), limit: pageLimits.keys.max };
      for await (const { body } of caller.pages("listKeys", { query })) rows.push(...body.keys.map(keyRowOf));
      showKeyRows(input, terminal, rows.filter(isWanted));
    });
  },
};

export const create: Command = overHttp({
  name: "create",
  summary: "Make a key like your own, at most as strong, and show it once",
  options: {
    name: { value: "TEXT", help: "whose key it is, such as the vendor's name" },
    ...onlyOption,
    "expires-in-days": { value: "N", help: `default ${keyLimits.madeKeyDaysDefault}, or with your key` },
  },
  examples: ["keys create --name vendor --only metrics:read --expires-in-days 30"],
  run: (input, terminal, withCaller) => {
    const days = input.integer("expires-in-days", { min: 1, max: keyLimits.madeKeyDaysMax });
    const body = { name: input.requiredText("name"), only: onlyOf(input), expires_in_days: days };
    const end = (id: string) => `To revoke it: ${commandFor(input, `keys revoke ${id}`)}`;
    return withCaller((client) =>
      showIssuedRow(input, terminal, async () => (await client.createKey({ body })).body, end),
    );
  },
});

export const rotate: Command = overHttp({
  name: "rotate",
  summary: "Give your own key a new value and show it once; the old value works until its grace period ends",
  argument: { ...keyId, required: false, help: "the id of your own key, the only one that you can rotate" },
  options: {
    ...graceOption,
    "idempotency-key": {
      value: "UUID",
      help: "of a rotation whose answer was lost: shows the same new value once more",
    },
  },
  examples: ["keys rotate --grace-seconds 86400"],
  run: (input, terminal, withCaller) => {
    const idempotency_key = input.text("idempotency-key") ?? systemRandom.uuid();
    const grace_seconds = input.integer("grace-seconds", { min: 0, max: keyLimits.graceSecondsMax });
    return withCaller(async (client) => {
      const key_id = input.argument ?? (await client.whoami()).body.key.id;
      const again = commandFor(
        input,
        `keys rotate ${key_id} --grace-seconds ${grace_seconds} --idempotency-key ${idempotency_key}`,
      );
      const repeat =
        `If the new value is lost, this shows it again for ${requestLimits.idempotencyMs / 60_000} minutes, with the ` +
        `old value as your key, also after its end (the idempotency key is as secret as the key): ${again}`;
      terminal.say(repeat);
      const body = { idempotency_key, ...(grace_seconds !== undefined && { grace_seconds }) };
      const rotated = async () => (await client.rotateKey({ path: { key_id }, body })).body;
      await showIssuedRow(input, terminal, rotated, () => repeat);
    });
  },
});

const revoke: SharedCommand = {
  name: "revoke",
  summary: "Revoke a key now, with the keys that it made",
  argument: { ...keyId, required: false },
  operatorOptions: {
    leaked: {
      help: "read the text of a leaked key of any kind from standard input; tell what was done with it",
    },
  },
  examples: ["keys revoke KEY_ID", "keys revoke --leaked < leaked.txt"],
  run: (input, terminal, withCaller) => {
    if (input.flag("leaked")) return revokeLeaked(input, terminal, withCaller);
    const id = input.requiredArgument(keyId.name);
    return withCaller(async (caller) => {
      const { body } = await caller.deleteKey({ path: { key_id: id } });
      if (input.flag("json")) terminal.out(JSON.stringify({ id, revoked: true, ...body }));
      else terminal.say(`Key ${id} is revoked${alsoEnded(id, body?.revoked_key_ids)}.`);
    });
  },
};

async function revokeLeaked(input: CommandInput, terminal: Terminal, withCaller: WithCaller): Promise<void> {
  if (input.argument !== undefined) throw new UsageError("--leaked reads the key: give no KEY_ID.");
  const text = await terminal.ask("Text of the leaked key (what you type is not shown): ", { hidden: true });
  await withCaller(async ({ endLeakedKey }) => {
    const report = await endLeakedKey?.(text);
    if (!report) return;
    if (input.flag("json")) return terminal.out(JSON.stringify(report));
    const { id, revoked_key_ids: ended, entries, webhooks } = report;
    terminal.say(
      ended.length === 0 ? `Key ${id} was revoked before.` : `Key ${id} is revoked${alsoEnded(id, ended)}.`,
    );
    for (const { id: webhook, url } of webhooks)
      terminal.say(`Webhook ${webhook} still delivers to ${url}: a key that has ended made or changed it.`);
    const records = entries.map(({ actor, created_at, action, resource_id, summary, ip_address }) => ({
      created_at,
      key_id: actor.key_id,
      action,
      resource_id,
      summary,
      ip_address,
    }));
    showList(input, terminal, { records, document: report, none: "Nothing was done with it." });
  });
}

export const shared: readonly SharedCommand[] = [list, revoke];
export const commands: readonly Command[] = [create, rotate, ...shared.map(overHttp)];
