import { AuditLog } from "../parts/audit.tsx";
import { Keys } from "../parts/keys.tsx";
import { Seats } from "../parts/seats.tsx";
import { Section } from "../parts/section.tsx";
import { Security } from "../parts/security.tsx";
import { Webhooks } from "../parts/webhooks.tsx";
import type { PageProps } from "./page.ts";

export const Administration = ({ session, onRetry, onTestWebhook, onDeliveries }: PageProps) => {
  const { sections, webhookTests } = session;
  return (
    <>
      <div class="row">
        <Section title="Seats" of={sections.seats} onRetry={() => onRetry("seats")}>
          {(figures) => <Seats figures={figures} uses={sections.seatUse} />}
        </Section>
        <Section title="Open security findings" of={sections.security} onRetry={() => onRetry("security")}>
          {(figures) => <Security figures={figures} />}
        </Section>
      </div>
      <Section title="Keys" of={sections.keys} onRetry={() => onRetry("keys")}>
        {(keys) => <Keys keys={keys} />}
      </Section>
      <Section title="Webhooks" of={sections.webhooks} onRetry={() => onRetry("webhooks")}>
        {(webhooks) => (
          <Webhooks
            webhooks={webhooks}
            tests={webhookTests}
            deliveries={session.deliveries}
            onTest={onTestWebhook}
            onDeliveries={onDeliveries}
          />
        )}
      </Section>
      <Section title="Recent audit entries" of={sections.audit} onRetry={() => onRetry("audit")}>
        {(entries) => <AuditLog entries={entries} />}
      </Section>
    </>
  );
};
