import { formatCount } from "../../lib/report/words.ts";
import type { SeatFigures, SeatHolder } from "../figures/seats.ts";
import { textColumn } from "../tables.ts";
import { LegendEntry } from "./headlines.tsx";
import { Card } from "./numbers.tsx";

export function Seats({ figures }: { readonly figures: SeatFigures }) {
  const { purchased, used, free, unseen, idle, idleHolders, holders, withoutAdmin } = figures;
  const busy = used - unseen - (idle ?? 0);
  const numbers = {
    name: "seats",
    caption: "Who holds a seat",
    columns: [
      textColumn("name", "Name", ({ name }: SeatHolder) => name),
      textColumn("email", "E-mail", ({ email }: SeatHolder) => email),
      textColumn("memberships", "Memberships", ({ memberships }: SeatHolder) => memberships.join(" ")),
      textColumn("idle", "Idle", ({ isIdle }: SeatHolder) =>
        isIdle === null ? null : isIdle ? "yes" : "no",
      ),
    ],
    rows: holders,
  };
  return (
    <Card
      title="Seats"
      definition={
        idle === null ? (
          "Of all organizations of the key. Which seats are idle is known when the pull requests of all organizations are read."
        ) : (
          <>
            Of all organizations of the key; their pool may be shared with others. Idle: its holder finished
            no reviewed pull request in the period that this key can see, and no entry of the audit log gave
            them the seat in the period. <code>npx review-api seats idle</code> looks closer, and can take
            seats back.
          </>
        )
      }
      numbers={numbers}
    >
      <p class="sum">
        <strong>{formatCount(used)}</strong> of {formatCount(purchased)} used
      </p>
      <div class="shares" aria-hidden="true">
        {busy > 0 && <i class="one" style={{ flexGrow: String(busy) }} />}
        {(idle ?? 0) > 0 && <i class="two" style={{ flexGrow: String(idle) }} />}
        {unseen > 0 && <i class="faint" style={{ flexGrow: String(unseen) }} />}
        {free > 0 && <i class="unknown" style={{ flexGrow: String(free) }} />}
      </div>
      <dl class="parts">
        <LegendEntry look="one" name={idle === null ? "Used" : "Used, not idle"} count={busy} />
        {idle !== null && <LegendEntry look="two" name="Used, idle" count={idle} />}
        {unseen > 0 && <LegendEntry look="faint" name="Used elsewhere" count={unseen} />}
        <LegendEntry look="unknown" name="Free" count={free} />
      </dl>
      {unseen > 0 && (
        <p class="definition">
          Used elsewhere: by people of organizations that share these seats and that this key does not show.
        </p>
      )}
      {withoutAdmin.length > 0 && (
        <p>
          <strong>No admin is left in {withoutAdmin.join(", ")}.</strong> Whoever operates the service can
          give somebody the role: <code>npx review-api members set-role</code>.
        </p>
      )}
      {idleHolders.length > 0 && (
        <details>
          <summary>Who holds an idle seat</summary>
          <p>{idleHolders.join(", ")}</p>
        </details>
      )}
    </Card>
  );
}
