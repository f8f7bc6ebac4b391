import { useState } from "preact/hooks";
import { formatCount } from "../../lib/report/words.ts";
import { longDay, longInstant } from "../days.ts";
import type { Learning, LearningFigures } from "../figures/learnings.ts";
import type { ApprovalAction, PendingLearning } from "../protocol.ts";
import { countColumn, textColumn } from "../tables.ts";
import { ExternalLink } from "./external-link.tsx";
import { LegendEntry } from "./headlines.tsx";
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
      textColumn("last_used_at", "Last used", ({ last_used_at }: Learning) => last_used_at),
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
      <dl class="parts">
        <LegendEntry look="one" name="Active: used in the last 30 days" count={active} />
        <LegendEntry look="faint" name="Used before that" count={usedEarlier} />
        <LegendEntry look="none" name="Never used" count={neverUsed} />
      </dl>
      {mostUsed.length === 0 && <p class="empty">No Learning has been used yet.</p>}
      <ol class="bars">
        {mostUsed.slice(0, shownMax).map((each) => (
          <li key={each.id}>
            <div class="words">
              <span class="text">
                {each.learning} <small>{each.repository_name}</small>
              </span>
              <b>{formatCount(each.usage_count)}</b>
            </div>
            <div class="track" aria-hidden="true">
              <i class="good" style={{ width: `${(each.usage_count / most) * 100}%` }} />
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

const shownMax = 6;

type PendingProps = {
  readonly pending: readonly PendingLearning[];
  /** Why a decision failed, by the Learning's id. */
  readonly problems: Readonly<Record<string, string>>;
  onDecide(learning: PendingLearning, decision: ApprovalAction): void;
};

export function PendingLearnings({ pending, problems, onDecide }: PendingProps) {
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
      definition="By deadline. A Learning that nobody decides on is approved at its deadline."
      numbers={numbers}
      isTable
    >
      {pending.length === 0 && <p class="empty">Nothing waits.</p>}
      <ul class="pending">
        {pending.map((learning) => (
          <Pending
            key={learning.id}
            learning={learning}
            problem={problems[learning.id] ?? null}
            onDecide={(decision) => onDecide(learning, decision)}
          />
        ))}
      </ul>
    </Card>
  );
}

type PendingItemProps = {
  readonly learning: PendingLearning;
  readonly problem: string | null;
  onDecide(decision: ApprovalAction): void;
};

function Pending({ learning, problem, onDecide }: PendingItemProps) {
  const [asked, setAsked] = useState<"nothing" | "disapprove?" | "sent">("nothing");
  const isSent = asked === "sent" && problem === null;
  const decide = (decision: ApprovalAction) => {
    setAsked("sent");
    onDecide(decision);
  };
  return (
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
      <div class="decide">
        <button type="button" class="primary" disabled={isSent} onClick={() => decide("approve")}>
          Approve
        </button>
        {asked === "disapprove?" ? (
          <button type="button" class="danger" onClick={() => decide("disapprove")}>
            Really disapprove
          </button>
        ) : (
          <button type="button" disabled={isSent} onClick={() => setAsked("disapprove?")}>
            Disapprove
          </button>
        )}
      </div>
    </li>
  );
}
