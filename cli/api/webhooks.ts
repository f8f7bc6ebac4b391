import type { RequestOf, ResponseOf } from "../../lib/client/client.ts";
import { pageLimits } from "../../lib/contract/limits.ts";
import { type WebhookType, webhookTypes } from "../../lib/contract/webhooks.ts";
import { OperatorError, UsageError } from "../../lib/runtime/operator-error.ts";
import type { Command, CommandInput } from "../command.ts";
import { listOptions, showList } from "../listing.ts";
import { commandFor, showOnce } from "../show-once.ts";
import { formatRecord, type Terminal } from "../terminal.ts";
import { orgOption, orgQuery, overHttp } from "./call.ts";

const webhookId = { name: "WEBHOOK_ID", required: true, help: "the id that `webhooks list` shows" };
const pathOf = (input: CommandInput) => ({ webhook_id: input.requiredArgument(webhookId.name) });
const ofOne = { argument: webhookId, options: orgOption };

const isType = (text: string): text is WebhookType => webhookTypes.some((type) => type === text);

function typesOf(input: CommandInput): WebhookType[] | undefined {
  const wanted = input.list("types");
  const wrong = wanted?.find((type) => !isType(type));
  if (wrong !== undefined)
    throw new UsageError(`--types takes ${webhookTypes.join(", ")}; not ${JSON.stringify(wrong)}.`);
  return wanted?.filter(isType);
}

const fieldOptions = {
  to: { value: "URL", help: "where the service sends deliveries: https, port 443 or 8443" },
  types: { value: "A,B", help: `the types to deliver: ${webhookTypes.join(", ")}` },
  description: { value: "TEXT", help: "a note for people" },
};

type Webhook = ResponseOf<"getWebhook">;
type ShownWebhook = Omit<Webhook, "types"> & { readonly types: string };
const rowOf = ({ types, ...webhook }: Webhook): ShownWebhook => ({ ...webhook, types: types.join(", ") });

function showWebhook(input: CommandInput, terminal: Terminal, webhook: Webhook): void {
  if (input.flag("json")) terminal.out(JSON.stringify(webhook));
  else terminal.out(formatRecord(rowOf(webhook), terminal.paint));
}

const showSecret = (
  input: CommandInput,
  terminal: Terminal,
  make: () => Promise<{ readonly body: ResponseOf<"createWebhook"> }>,
): Promise<void> =>
  showOnce(terminal, async () => {
    const { body: webhook } = await make();
    const { id, secret } = webhook;
    const command = (name: string) => commandFor(input, `webhooks ${name} ${id}`, ["org"]);
    const ifLost =
      `Nobody has the new secret of the webhook ${id}.\n` +
      `To get another secret: ${command("rotate")}\nTo delete the webhook: ${command("delete")}`;
    if (input.flag("json")) return { text: JSON.stringify(webhook), ifLost };
    return { text: secret, said: `This is the secret of the webhook ${id}. It is shown only once.`, ifLost };
  });

const list: Command = overHttp({
  name: "list",
  summary: "List webhooks, without their secrets",
  options: { ...orgOption, ...listOptions },
  examples: ["webhooks list", "webhooks list --format csv"],
  run: (input, terminal, withCaller) =>
    withCaller(async (client) => {
      const { data } = (await client.listWebhooks({ query: orgQuery(input) })).body;
      showList(input, terminal, {
        records: data.map(rowOf),
        document: { webhooks: data },
        line: ({ id, url, types, active, disabled_reason, ...times }) => {
          const { last_success_at, last_failure_at, next_attempt_at } = times;
          return {
            id,
            url,
            types,
            active,
            disabled_reason,
            last_success_at,
            last_failure_at,
            next_attempt_at,
          };
        },
        none: "There are no webhooks.",
      });
    }),
});

const create: Command = overHttp({
  name: "create",
  summary: "Create a webhook, and show its secret once",
  options: {
    ...fieldOptions,
    to: { ...fieldOptions.to, required: true },
    types: { ...fieldOptions.types, required: true },
    ...orgOption,
  },
  examples: ["webhooks create --to https://hooks.example.com/reviews --types metrics.reviews,learnings"],
  run: (input, terminal, withCaller) => {
    const types = typesOf(input) ?? [];
    const description = input.text("description") ?? null;
    const body = { url: input.requiredText("to"), types, description, ...orgQuery(input) };
    return withCaller((client) => showSecret(input, terminal, () => client.createWebhook({ body })));
  },
});

const show: Command = overHttp({
  ...ofOne,
  name: "show",
  summary: "Show a webhook",
  examples: ["webhooks show WEBHOOK_ID"],
  run: (input, terminal, withCaller) =>
    withCaller(async (client) => {
      const { body } = await client.getWebhook({ path: pathOf(input), query: orgQuery(input) });
      showWebhook(input, terminal, body);
    }),
});

const update: Command = overHttp({
  ...ofOne,
  name: "update",
  summary: "Change a webhook, or switch it on or off",
  note: "A webhook that is switched on gets one delivery of every type.",
  options: {
    ...fieldOptions,
    on: { help: "switch it on" },
    off: { help: "switch it off" },
    ...orgOption,
  },
  examples: ["webhooks update WEBHOOK_ID --types learnings,audit_logs", "webhooks update WEBHOOK_ID --on"],
  run: (input, terminal, withCaller) => {
    const changes = changesOf(input);
    return withCaller(async (client) => {
      const body = { ...changes, ...orgQuery(input) };
      showWebhook(input, terminal, (await client.updateWebhook({ path: pathOf(input), body })).body);
    });
  },
});

function changesOf(input: CommandInput): RequestOf<"updateWebhook">["body"] {
  const [to, types, description] = [input.text("to"), typesOf(input), input.text("description")];
  const [on, off] = [input.flag("on"), input.flag("off")];
  if (on && off) throw new UsageError("--on and --off cannot be used together.");
  if (!on && !off && [to, types, description].every((each) => each === undefined))
    throw new UsageError("Nothing to change: give --to, --types, --description, --on or --off.");
  return {
    ...(to !== undefined && { url: to }),
    ...(types !== undefined && { types }),
    ...(description !== undefined && { description }),
    ...((on || off) && { active: on }),
  };
}

const remove: Command = overHttp({
  ...ofOne,
  name: "delete",
  summary: "Delete a webhook",
  examples: ["webhooks delete WEBHOOK_ID"],
  run: (input, terminal, withCaller) =>
    withCaller(async (client) => {
      const path = pathOf(input);
      await client.deleteWebhook({ path, query: orgQuery(input) });
      if (input.flag("json")) terminal.out(JSON.stringify({ id: path.webhook_id, deleted: true }));
      else terminal.say(`The webhook ${path.webhook_id} is deleted.`);
    }),
});

const rotate: Command = overHttp({
  ...ofOne,
  name: "rotate",
  summary: "Replace the secret of a webhook; the old secret signs too for 24 hours",
  examples: ["webhooks rotate WEBHOOK_ID"],
  run: (input, terminal, withCaller) =>
    withCaller((client) =>
      showSecret(input, terminal, () => client.rotateWebhook({ path: pathOf(input), body: orgQuery(input) })),
    ),
});

const test: Command = overHttp({
  ...ofOne,
  name: "test",
  summary: "Send a delivery of type ping now, and show what came back",
  note: "The exit code is 1 if the receiver does not respond with 2xx.",
  examples: ["webhooks test WEBHOOK_ID"],
  run: (input, terminal, withCaller) =>
    withCaller(async (client) => {
      const { body } = await client.testWebhook({ path: pathOf(input), body: orgQuery(input) });
      terminal.out(input.flag("json") ? JSON.stringify(body) : formatRecord(body, terminal.paint));
      const { status } = body;
      if (status === null || status < 200 || status > 299)
        throw new OperatorError(
          "The receiver did not take the delivery: it must respond with a status from 200 to 299.",
        );
    }),
});

const deliveries: Command = overHttp({
  ...ofOne,
  name: "deliveries",
  summary: "List what was sent to a webhook in the last 7 days, newest first",
  options: { ...orgOption, ...listOptions },
  examples: ["webhooks deliveries WEBHOOK_ID"],
  run: (input, terminal, withCaller) =>
    withCaller(async (client) => {
      const all: ResponseOf<"listWebhookDeliveries">["data"] = [];
      const query = { ...orgQuery(input), limit: pageLimits.deliveries.max };
      for await (const { body } of client.pages("listWebhookDeliveries", { path: pathOf(input), query }))
        all.push(...body.data);
      const records = all.map(({ attempts, request: _, ...delivery }) => {
        const { at = null, status = null, ms = null, answer = null } = attempts.at(-1) ?? {};
        return { ...delivery, attempts: attempts.length, at, status, ms, answer };
      });
      showList(input, terminal, { records, document: { deliveries: all }, none: "Nothing was sent." });
    }),
});

export const commands: readonly Command[] = [list, create, show, update, remove, rotate, test, deliveries];
