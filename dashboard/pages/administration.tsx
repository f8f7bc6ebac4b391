import { AuditLog } from "../parts/audit.tsx";
import { Keys } from "../parts/keys.tsx";
import { Seats } from "../parts/seats.tsx";
import { Section } from "../parts/section.tsx";
import { Security } from "../parts/security.tsx";
import { Webhooks } from "../parts/webhooks.tsx";
import type { PageProps } from "./page.ts";

export const Administration = (props: PageProps) => (
  <>
    <div class="row">
      <Section name="seats" {...props}>
        {(figures) => <Seats figures={figures} uses={props.session.sections.seatUse} />}
      </Section>
      <Section name="security" {...props}>
        {(figures) => <Security figures={figures} />}
      </Section>
    </div>
    <Section name="keys" {...props}>
      {(keys) => <Keys keys={keys} />}
    </Section>
    <Section name="webhooks" {...props}>
      {(webhooks) => <Webhooks {...props} webhooks={webhooks} />}
    </Section>
    <Section name="audit" {...props}>
      {(entries) => <AuditLog entries={entries} />}
    </Section>
  </>
);
