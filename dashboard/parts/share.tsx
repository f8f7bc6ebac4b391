import { useState } from "preact/hooks";
import { longDays } from "../../lib/report/words.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import type { PageProps } from "../pages/page.ts";
import { reportFile } from "../report-file.ts";
import { baseUrl } from "../session.ts";
import { type DashboardView, resolvePeriod } from "../view.ts";
import { saveFile } from "./numbers.tsx";
import { Popup } from "./popup.tsx";
import { viewAddress } from "./view-link.tsx";

type ShareProps = Pick<PageProps, "session" | "view">;

/** Three ways to show this view to somebody else. */
export const Share = ({ session, view }: ShareProps) => (
  <Popup class="sharing" summary="Share">
    <div class="ways">
      <Links view={view} />
      {view.page !== "administration" && <File {...{ session, view }} />}
      <Chat />
    </div>
  </Popup>
);

function Links({ view }: Pick<ShareProps, "view">) {
  const { period } = view;
  const fixed = resolvePeriod(period, systemClock.nowMs());
  const moving =
    "days" in period ? `last ${period.days} days` : "last" in period ? `last ${period.last}` : null;
  return (
    <section>
      <h2>A link</h2>
      <p class="definition">For somebody who has a key: the link has the view, and never a key.</p>
      <ul>
        {moving && <Link name={`Always the ${moving}`} view={view} />}
        <Link name={`Always ${longDays(fixed)}`} view={{ ...view, period: fixed }} />
      </ul>
    </section>
  );
}

const Link = ({ name, view }: { readonly name: string; readonly view: DashboardView }) => {
  const address = viewAddress(view);
  return (
    <li>
      <a href={address}>{name}</a>
      <Copy what={`the link: ${name}`} text={new URL(address, location.href).href} />
    </li>
  );
};

function File({ session, view }: ShareProps) {
  const report = () => reportFile(session, view);
  return (
    <section>
      <h2>A file</h2>
      <p class="definition">
        For everybody: one page with the figures, charts and teams of this view, and no people. Nobody needs a
        key to read it.
      </p>
      <button
        type="button"
        disabled={report() === null}
        onClick={() => saveFile("report.html", "text/html;charset=utf-8", report() ?? "")}
      >
        Save report.html
      </button>
    </section>
  );
}

function Chat() {
  const lines = `export REVIEW_API_KEY=…
npx --no-install review-api report \\
  --url ${baseUrl()} \\
  --last-week --by team --format chat |
jq --raw-input --slurp '{text: .}' |
curl --fail --header "content-type: application/json" \\
  --data @- "$CHAT_WEBHOOK_URL"`;
  return (
    <section>
      <h2>A chat, every week</h2>
      <p class="definition">
        These lines post the last week by team, whatever this view filters.{" "}
        <a href="docs/jobs/weekly-report">The weekly report</a> runs them every Monday.
      </p>
      <pre>
        <code>{lines}</code>
      </pre>
      <Copy what="the lines" text={lines} />
    </section>
  );
}

function Copy({ what, text }: { readonly what: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`Copy ${what}`}
      onClick={async () => {
        await navigator.clipboard.writeText(text);
        setCopied(true);
      }}
    >
      {isCopied ? "Copied" : "Copy"}
    </button>
  );
}
