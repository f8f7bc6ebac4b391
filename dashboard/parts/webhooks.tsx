import { useState } from "preact/hooks";
import { longInstant } from "../days.ts";
import type { Webhook, WebhookTest } from "../protocol.ts";
import { textColumn } from "../tables.ts";
import { Card, Table } from "./numbers.tsx";

type WebhooksProps = {
  readonly webhooks: readonly Webhook[];
  /** The last test of each webhook, by its id. */
  readonly tests: Readonly<Record<string, WebhookTest>>;
  onTest(id: string): void;
};

const states: Readonly<Record<NonNullable<Webhook["disabled_reason"]>, string>> = {
  switched_off: "switched off",
  gone: "off: the receiver answered 410",
  failing: "off: five days without a success",
};

const stateOf = ({ disabled_reason }: Webhook): string =>
  disabled_reason === null ? "on" : states[disabled_reason];

/** The newer of the last success and the last failure. */
function lastDelivery({ last_success_at, last_failure_at }: Webhook): string {
  const [success, failure] = [last_success_at ?? "", last_failure_at ?? ""];
  if (success === "" && failure === "") return "none yet";
  return success >= failure ? longInstant(success) : `failed ${longInstant(failure)}`;
}

export function Webhooks({ webhooks, tests, onTest }: WebhooksProps) {
  const numbers = {
    name: "webhooks",
    caption: "Webhooks",
    columns: [
      textColumn("url", "Address", ({ url }: Webhook) => url),
      textColumn("types", "Rings for", ({ types }: Webhook) => types.join(", ")),
      textColumn("state", "State", stateOf),
      textColumn("last_success_at", "Last success", ({ last_success_at }: Webhook) => last_success_at),
      textColumn("last_failure_at", "Last failure", ({ last_failure_at }: Webhook) => last_failure_at),
    ],
    rows: webhooks,
  };
  return (
    <Card
      title="Webhooks"
      definition="Of the key's own organization, workspace or instance, whatever the period. A workspace token sees those of an organization when only that one is chosen."
      numbers={numbers}
      isTable
      class="table"
    >
      {webhooks.length === 0 ? (
        <p class="empty">There are none.</p>
      ) : (
        <Table label="Webhooks" heads={["Address", "Rings for", "State", "Last delivery", "Test"]}>
          {webhooks.map((webhook) => (
            <tr key={webhook.id}>
              <td class="text">
                {webhook.url} {webhook.description !== null && <small>{webhook.description}</small>}
              </td>
              <td class="text">{webhook.types.join(", ")}</td>
              <td>{stateOf(webhook)}</td>
              <td>{lastDelivery(webhook)}</td>
              <td>
                <TestButton
                  webhook={webhook}
                  test={tests[webhook.id] ?? null}
                  onTest={() => onTest(webhook.id)}
                />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
}

type TestProps = { readonly webhook: Webhook; readonly test: WebhookTest | null; onTest(): void };

/** Sends a ring of type ping, which changes nothing. */
function TestButton({ webhook: { url }, test, onTest }: TestProps) {
  const [awaited, setAwaited] = useState<WebhookTest | null | undefined>();
  // A new result is another object than the one that was there when the button was pressed.
  const isSent = awaited !== undefined && awaited === test;
  return (
    <>
      <button
        type="button"
        disabled={isSent}
        aria-label={`Test ${url}`}
        onClick={() => {
          setAwaited(test);
          onTest();
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
