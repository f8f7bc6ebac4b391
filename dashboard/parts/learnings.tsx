import { useState } from "preact/hooks";
import { formatCount, longDay, longInstant } from "../../lib/report/words.ts";
import type { Learning, LearningFigures } from "../figures/learnings.ts";
import type { PageProps } from "../pages/page.ts";
import type { ApprovalAction, PendingLearning } from "../protocol.ts";
import { countColumn, dateColumn, textColumn } from "../tables.ts";
import { Bar } from "./bar.tsx";
import { ExternalLink } from "./external-link.tsx";
import { Counts } from "./headlines.tsx";
import { Card } from "./numbers.tsx";

const learningColumns = [
  textColumn("learning", "Learning", ({ learning }: Learning) => learning),
  textColumn("repository", "Repository", ({ repository_name }: Learning) => repository_name),
  textColumn("author", "Author", ({ author_username, author_id }: Learning) => author_username ?? author_id),
];

export function Learnings({ figures }: { readonly figures: LearningFigures }) {
  const { total, active, usedEarlier, neverUsed, uses, mostUsed } = figures;
  const most = Math.max(1, ...mostUsed.map(({ usage_count }) => usage_count));
  const numbers = {
    name: "learnings-by-use",
    caption: "Learnings by use",
    columns: [
      ...learningColumns,
      countColumn("usage_count", "Uses", ({ usage_count }: Learning) => usage_count),
      dateColumn("last_used_at", "Last used", ({ last_used_at }: Learning) => last_used_at),
    ],
    rows: mostUsed,
  };
  return (
    <Card
      title="Learnings by use"
      definition="Shared, approved Learnings, whatever the period; the most used first."
      numbers={numbers}
    >
      <p class="sum">
        <strong>{formatCount(total)}</strong> Learnings, used {formatCount(uses)} times
      </p>
      <Counts
        shares={[
          ["one", "Active: used in the last 30 days", active],
          ["faint", "Used before that", usedEarlier],
          ["none", "Never used", neverUsed],
        ]}
      />
      {mostUsed.length === 0 && <p class="empty">No Learning has been used yet.</p>}
      <ol class="bars">
        {mostUsed.slice(0, shownMax).map((each) => (
          <Bar
            key={each.id}
            name={
              <span class="text">
                {each.learning} <small>{each.repository_name}</small>
              </span>
            }
            value={<b>{formatCount(each.usage_count)}</b>}
            parts={[["good", each.usage_count / most]]}
          />
        ))}
      </ol>
    </Card>
  );
}

const shownMax = 6;

type PendingProps = PageProps & { readonly pending: readonly PendingLearning[] };

export function PendingLearnings({ pending, session, ask }: PendingProps) {
  const canDecide = session.allowed.includes("decideLearning");
  const numbers = {
    name: "pending-learnings",
    caption: "Learnings that wait for approval",
    columns: [
      ...learningColumns,
      textColumn("approve_at", "Approved by itself", ({ approve_at }: PendingLearning) => approve_at ?? null),
    ],
    rows: pending,
  };
  return (
    <Card
      title="Learnings that wait for approval"
      definition={`By deadline. A Learning that nobody decides on is approved at its deadline.${canDecide ? "" : " This key may read them, and not decide."}`}
      numbers={numbers}
      isTable
    >
      {pending.length === 0 && <p class="empty">Nothing waits.</p>}
      <ul class="pending">
        {pending.map((learning) => (
          <Pending
            key={learning.id}
            learning={learning}
            problem={session.undecided[learning.id] ?? null}
            onDecide={canDecide ? (decision) => ask({ type: "decide", learning, decision }) : null}
          />
        ))}
      </ul>
    </Card>
  );
}

type PendingItemProps = {
  readonly learning: PendingLearning;
  readonly problem: string | null;
  /** Null if the key may not decide. */
  readonly onDecide: ((decision: ApprovalAction) => void) | null;
};

const Pending = ({ learning, problem, onDecide }: PendingItemProps) => (
  <li>
    <div>
      <p>{learning.learning}</p>
      <small>
        {learning.repository_name}, by {learning.author_username ?? learning.author_id}
        {learning.source_url !== null && (
          <>
            {" · "}
            <ExternalLink to={learning.source_url}>source</ExternalLink>
          </>
        )}
        {" · "}
        {learning.approve_at === undefined
          ? `since ${longDay(learning.created_at)}`
          : `approved by itself ${longInstant(learning.approve_at)}`}
      </small>
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
    {onDecide && <Decide hasFailed={problem !== null} onDecide={onDecide} />}
  </li>
);

type DecideProps = { readonly hasFailed: boolean; onDecide(decision: ApprovalAction): void };

function Decide({ hasFailed, onDecide }: DecideProps) {
  const [asked, setAsked] = useState<"nothing" | "disapprove?" | "sent">("nothing");
  const isSent = asked === "sent" && !hasFailed;
  const decide = (decision: ApprovalAction) => {
    if (isSent) return;
    setAsked("sent");
    onDecide(decision);
  };
  return (
    <div class="decide">
      <button type="button" class="primary" aria-disabled={isSent} onClick={() => decide("approve")}>
        Approve
      </button>
      {asked === "disapprove?" ? (
        <button type="button" class="danger" onClick={() => decide("disapprove")}>
          Really disapprove
        </button>
      ) : (
        <button type="button" aria-disabled={isSent} onClick={() => !isSent && setAsked("disapprove?")}>
          Disapprove
        </button>
      )}
    </div>
  );
}
