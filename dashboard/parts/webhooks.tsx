import { useState } from "preact/hooks";
import { longInstant } from "../../lib/report/words.ts";
import type { PageProps } from "../pages/page.ts";
import type { Webhook, WebhookDelivery, WebhookTest } from "../protocol.ts";
import { type ShownColumn, textColumn } from "../tables.ts";
import { TableCard } from "./numbers.tsx";

type WebhooksProps = PageProps & { readonly webhooks: readonly Webhook[] };

const states: Readonly<Record<NonNullable<Webhook["disabled_reason"]>, string>> = {
  switched_off: "switched off",
  gone: "off: the receiver responded with 410",
  failing: "off: five days without a success",
};

function stateOf({ disabled_reason, next_attempt_at }: Webhook): string {
  if (disabled_reason !== null) return states[disabled_reason];
  return next_attempt_at === null ? "on" : `on; next attempt ${longInstant(next_attempt_at)}`;
}

/** The newer of the last success and the last failure. */
function lastDelivery({ last_success_at, last_failure_at }: Webhook): string {
  const [success, failure] = [last_success_at ?? "", last_failure_at ?? ""];
  if (success === "" && failure === "") return "none yet";
  return success >= failure ? longInstant(success) : `failed ${longInstant(failure)}`;
}

const columns = [
  textColumn("url", "Address", ({ url }: Webhook) => url),
  textColumn("types", "Rings for", ({ types }: Webhook) => types.join(", ")),
  textColumn("state", "State", stateOf),
  textColumn("last_success_at", "Last success", ({ last_success_at }: Webhook) => last_success_at),
  textColumn("last_failure_at", "Last failure", ({ last_failure_at }: Webhook) => last_failure_at),
];

export function Webhooks({ webhooks, session, ask }: WebhooksProps) {
  const shown: ReadonlyArray<ShownColumn<Webhook>> = [
    {
      head: "Address",
      look: "text",
      cell: ({ url, description }) => [url, " ", <small>{description}</small>],
    },
    { head: "Rings for", look: "text", cell: ({ types }) => types.join(", ") },
    { head: "State", cell: stateOf },
    {
      head: "Last delivery",
      cell: (webhook) => [lastDelivery(webhook), " ", <Deliveries {...{ webhook, session, ask }} />],
    },
    ...(session.allowed.includes("testWebhook")
      ? [
          {
            head: "Test",
            look: "tool",
            cell: (webhook: Webhook) => <TestButton key={webhook.id} {...{ webhook, session, ask }} />,
          },
        ]
      : []),
  ];
  return (
    <TableCard
      title="Webhooks"
      definition="Of the key's own organization, workspace or instance, whatever the period. A workspace token sees those of an organization when only that one is chosen."
      numbers={{ name: "webhooks", caption: "Webhooks", columns, rows: webhooks }}
      shown={shown}
    />
  );
}

type OfWebhook = Pick<PageProps, "session" | "ask"> & { readonly webhook: Webhook };

/** Asks for the last deliveries, and shows them. */
function Deliveries({ webhook: { id, url }, session, ask }: OfWebhook) {
  const deliveries = session.deliveries[id];
  return (
    <>
      <button
        type="button"
        aria-label={`Deliveries to ${url}`}
        onClick={() => ask({ type: "list-deliveries", id })}
      >
        Deliveries
      </button>
      {typeof deliveries === "string" && <p class="problem">{deliveries}</p>}
      {Array.isArray(deliveries) && (
        <ul aria-label={`Last deliveries to ${url}`}>
          {deliveries.length === 0 && <li>none in the last 7 days</li>}
          {deliveries.map(({ at, type, attempts, sentence }: WebhookDelivery) => (
            <li key={`${at} ${type}`}>
              {longInstant(at)}, {type}: {sentence} {attempts > 1 && `(attempt ${attempts})`}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Sends a ring of type ping. If the receiver takes it, the service sends everything that waits. */
function TestButton({ webhook: { id, url }, session, ask }: OfWebhook) {
  const test = session.webhookTests[id] ?? null;
  const [awaited, setAwaited] = useState<WebhookTest | null | undefined>();
  // A button that is disabled would lose the focus. A new result is another object than the one that was there when the button was pressed.
  const isSent = awaited !== undefined && awaited === test;
  return (
    <>
      <button
        type="button"
        aria-disabled={isSent}
        aria-label={`Test ${url}`}
        onClick={() => {
          if (isSent) return;
          setAwaited(test);
          ask({ type: "test-webhook", id });
        }}
      >
        {isSent ? "Testing …" : "Test"}
      </button>
      {test !== null && !isSent && (
        <p class={test.isDelivered ? "definition" : "problem"} role="status">
          {test.sentence}
        </p>
      )}
    </>
  );
}
