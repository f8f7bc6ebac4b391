import { useEffect, useRef, useState } from "preact/hooks";

type KeyFormProps = {
  readonly isOpening: boolean;
  /** Why there is no open session, if there is a reason. */
  readonly notice: string | null;
  onKey(key: string, isKept: boolean): void;
};

/** The key goes from this field to the worker's memory, and into the tab's storage only if the person asks for it. */
export function KeyForm({ isOpening, notice, onKey }: KeyFormProps) {
  const field = useRef<HTMLInputElement>(null);
  const [isKept, setKept] = useState(false);
  const [isEmpty, setEmpty] = useState(false);
  useEffect(() => field.current?.focus(), []);
  const problem = isEmpty ? "Paste a key first." : notice;
  return (
    <main class="welcome">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          const key = field.current?.value.trim() ?? "";
          setEmpty(key === "");
          if (key === "") field.current?.focus();
          else onKey(key, isKept);
        }}
      >
        <img class="mark" src="dashboard/icon.svg" alt="" />
        <h1>Review dashboard</h1>
        <p class="lead">
          This page shows what automated reviews find, what becomes of it and how long pull requests take. An
          admin makes a key with <code>npx --no-install review-api keys create</code>; a service with demo
          data prints a link that carries one. <a href="docs">More about keys</a>
        </p>
        <label for="key">API key</label>
        <input
          id="key"
          ref={field}
          type="password"
          autocomplete="one-time-code"
          spellcheck={false}
          placeholder="rk_…"
          aria-describedby="key-problem key-note"
          aria-invalid={problem !== null}
        />
        <p id="key-problem" class="problem" role="alert">
          {problem}
        </p>
        <label class="check">
          <input
            type="checkbox"
            checked={isKept}
            onChange={({ currentTarget }) => setKept(currentTarget.checked)}
          />
          Keep it for this tab, also when the page is loaded again
        </label>
        <button type="submit" class="primary" disabled={isOpening}>
          {isOpening ? "Opening …" : "Open the dashboard"}
        </button>
        <p id="key-note" class="definition">
          The key stays in the memory of this page and is sent to this service alone. What the key may not
          read is left out.
        </p>
      </form>
    </main>
  );
}
