import { useRef, useState } from "preact/hooks";
import type { PageProps } from "../pages/page.ts";
import type { FoundLearning } from "../protocol.ts";
import { textColumn } from "../tables.ts";
import { Bar } from "./bar.tsx";
import { Card } from "./numbers.tsx";

const columns = [
  textColumn("score", "Score", ({ score }: FoundLearning) => score.toFixed(2)),
  textColumn("learning", "Learning", ({ learning }: FoundLearning) => learning.learning),
  textColumn("repository", "Repository", ({ learning }: FoundLearning) => learning.repository_name),
  textColumn("file", "File", ({ learning }: FoundLearning) => learning.file),
];

/** Finds Learnings by meaning, as the reviewer does. */
export function LearningSearch({ session, ask }: PageProps) {
  const { search } = session;
  const field = useRef<HTMLInputElement>(null);
  const [isEmpty, setEmpty] = useState(false);
  const found = search?.status === "found" ? search.results : [];
  if (!session.allowed.includes("searchLearnings")) return null;
  const numbers = { name: "learnings-found", caption: "Learnings that were found", columns, rows: found };
  return (
    <Card
      title="Search Learnings"
      definition="By meaning, as the reviewer searches: shared, approved Learnings of the chosen organizations. A score of 1 is the same text, 0 is unrelated."
      numbers={numbers}
      isTable={found.length === 0}
    >
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          const query = field.current?.value.trim() ?? "";
          setEmpty(query === "");
          if (query === "") field.current?.focus();
          else ask({ type: "search", query });
        }}
      >
        <input
          ref={field}
          type="search"
          aria-label="A question, or the text of a change"
          placeholder="May we retry a payment?"
        />
        <button type="submit">{search?.status === "searching" ? "Searching …" : "Search"}</button>
      </form>
      <p class="problem" role="alert">
        {isEmpty ? "Write a question first." : search?.status === "failed" ? search.sentence : null}
      </p>
      {search?.status === "found" && found.length === 0 && <p class="empty">No Learning was found.</p>}
      <ol class="bars">
        {found.map(({ learning, score }) => (
          <Bar
            key={learning.id}
            name={
              <span class="text">
                {learning.learning}{" "}
                <small>{[learning.repository_name, learning.file].filter(Boolean).join(" · ")}</small>
              </span>
            }
            value={<b>{score.toFixed(2)}</b>}
            parts={[["good", score]]}
          />
        ))}
      </ol>
    </Card>
  );
}
