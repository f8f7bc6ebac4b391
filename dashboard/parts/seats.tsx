import { formatCount, longDay, noValue } from "../../lib/report/words.ts";
import type { SeatFigures, SeatHolder, SeatUses } from "../figures/seats.ts";
import type { SectionView } from "../session.ts";
import { dateColumn, type ShownColumn, textColumn } from "../tables.ts";
import { Shares } from "./headlines.tsx";
import { Card, Table } from "./numbers.tsx";

type SeatsProps = { readonly figures: SeatFigures; readonly uses: SectionView<SeatUses> };

export function Seats({ figures, uses }: SeatsProps) {
  const { purchased, used, unseen, judged, holders, withoutAdmin } = figures;
  const numbers = numbersOf(holders, uses);
  return (
    <Card
      title="Seats"
      definition={
        judged === null ? (
          "Of all organizations of the key. Which seats are idle is known when the pull requests of all organizations are read."
        ) : (
          <>
            Of all organizations of the key; their pool may be shared with others. Idle: its holder finished
            no reviewed pull request in the period that this key can see, and no entry of the audit log gave
            them the seat in the period. Too new: such an entry did. Not judged: one of their organizations
            sends no metrics, is still preparing them, or is outside the scope of the key.{" "}
            <code>npx --no-install review-api seats idle</code> looks closer, and can take seats back.
          </>
        )
      }
      numbers={numbers}
    >
      <p class="sum">
        <strong>{formatCount(used)}</strong> of {formatCount(purchased)} used
      </p>
      <Shares shares={sharesOf(figures)} />
      {judged === null && unseen > 0 && (
        <p class="definition">
          Used elsewhere: by people of organizations that share these seats and that this key does not show.
        </p>
      )}
      {withoutAdmin.length > 0 && (
        <p>
          <strong>No admin is left in {withoutAdmin.join(", ")}.</strong> Whoever operates the service can
          give somebody the role: <code>npx --no-install review-api members set-role</code>.
        </p>
      )}
      {judged !== null && judged.idle > 0 && (
        <details>
          <summary>Who holds an idle seat</summary>
          <IdleTable holders={holders.filter(({ judgement }) => judgement === "idle")} uses={uses} />
        </details>
      )}
    </Card>
  );
}

function sharesOf({ used, free, unseen, judged }: SeatFigures) {
  const shares = judged
    ? [
        ["one", "Used, active", judged.active] as const,
        ["attention", "Used, idle", judged.idle] as const,
        ["faint", "Used, too new to judge", judged.tooNew] as const,
        ...(judged.notJudged > 0 ? [["unknown", "Used, not judged", judged.notJudged] as const] : []),
      ]
    : [
        ["one", "Used", used - unseen] as const,
        ...(unseen > 0 ? [["faint", "Used elsewhere", unseen] as const] : []),
      ];
  return [...shares, ["none", "Free", free] as const];
}

function numbersOf(holders: readonly SeatHolder[], uses: SectionView<SeatUses>) {
  const useOf = ({ id }: SeatHolder) => uses.shown?.[id];
  return {
    name: "seats",
    caption: "Who holds a seat",
    columns: [
      textColumn("name", "Name", ({ name }: SeatHolder) => name),
      textColumn("email", "E-mail", ({ email }: SeatHolder) => email),
      textColumn("organizations", "Organizations", ({ organizations }: SeatHolder) =>
        organizations.join(", "),
      ),
      textColumn("user_ids", "User ids", ({ userIds }: SeatHolder) => userIds.join(", ")),
      textColumn("use", "Use", ({ judgement }: SeatHolder) => judgement),
      dateColumn("seat_since", "Seat since", (holder: SeatHolder) => useOf(holder)?.seat_since ?? null),
      dateColumn(
        "last_reviewed_at",
        "Last reviewed pull request",
        (holder: SeatHolder) => useOf(holder)?.last_reviewed_at ?? null,
      ),
    ],
    rows: holders,
  };
}

type IdleTableProps = { readonly holders: readonly SeatHolder[]; readonly uses: SectionView<SeatUses> };

function IdleTable({ holders, uses: { state, shown } }: IdleTableProps) {
  const columns: ReadonlyArray<ShownColumn<SeatHolder>> = [
    { head: "Name", cell: ({ name }) => name },
    { head: "Seat since", cell: ({ id }) => dayOf(shown?.[id]?.seat_since, "not known") },
    {
      head: "Last reviewed pull request",
      cell: ({ id }) => dayOf(shown?.[id]?.last_reviewed_at, "none in a year"),
    },
    { head: "User id", cell: ({ userIds }) => userIds.join(", ") },
    { head: "Organizations", cell: ({ organizations }) => organizations.join(", ") },
  ];
  const isBusy = state.status === "loading";
  return <Table label="Who holds an idle seat" {...{ columns, rows: holders, isBusy }} />;
}

/** Undefined until it is read. */
const dayOf = (time: string | null | undefined, none: string): string =>
  time === undefined ? noValue : time === null ? none : longDay(time);
