import * as z from "zod";
import { waitAfter } from "./concurrent-clients.ts";
import type { CountingClient } from "./counting-client.ts";

/** The requests of one kind of walk, and what it keeps of a page: the last state seen, by name. */
export type Walk = {
  readonly target: string;
  readonly read: (page: unknown) => ReadonlyArray<readonly [name: string, value: string]>;
};

const page = <Entry extends z.ZodType>(entry: Entry) => z.object({ data: z.array(entry) });
const pullRequests = page(z.object({ pr_url: z.string(), coderabbit_comments: z.array(z.unknown()) }));
const learnings = page(z.object({ id: z.string(), learning: z.string() }));
const entries = page(z.object({ id: z.string(), request_id: z.string().nullable() }));

/** The number of findings shows which state of a pull request was seen. */
export const metricsWalk: Walk = {
  target: "/v1/metrics/review-comments?start_date=2026-01-01&end_date=2026-12-31&limit=15",
  read: (json) =>
    pullRequests.parse(json).data.map((each) => [each.pr_url, String(each.coderabbit_comments.length)]),
};
export const learningsWalk: Walk = {
  target: "/v1/learnings?limit=20",
  read: (json) => learnings.parse(json).data.map(({ id, learning }) => [id, learning]),
};
export const auditWalk: Walk = {
  target: "/v1/audit-logs?order=asc&limit=20",
  read: (json) => entries.parse(json).data.map(({ id, request_id }) => [id, request_id ?? ""]),
};

const cursorOf = z.object({ next_cursor: z.string().nullable() });

/** One walk that continues through every crash, and after its end from its resume cursor. */
export class ResumingWalk {
  /** The last state seen of every thing. */
  readonly seen = new Map<string, string>();
  pages = 0;
  /** Pages that failed because the engine was dead. */
  interrupted = 0;
  /** How often it reached its end and continued from there. */
  ends = 0;
  readonly walk: Walk;
  readonly #front: CountingClient;
  readonly #key: string;
  #cursor = "";

  constructor(front: CountingClient, key: string, walk: Walk) {
    this.#front = front;
    this.#key = key;
    this.walk = walk;
  }

  /** Reads one page; returns whether it was the last one. */
  async step(): Promise<boolean> {
    const cursor = this.#cursor && `&cursor=${encodeURIComponent(this.#cursor)}`;
    const answer = await this.#front.ask(this.#key, "GET", `${this.walk.target}${cursor}`);
    if (answer.status !== 200) {
      if (answer.status === 503) this.interrupted++;
      await waitAfter(answer.status);
      return false;
    }
    for (const [name, value] of this.walk.read(answer.json)) this.seen.set(name, value);
    const { next_cursor } = cursorOf.parse(answer.json);
    this.#cursor = next_cursor ?? answer.headers.get("x-resume-cursor") ?? "";
    this.pages++;
    if (next_cursor === null) this.ends++;
    return next_cursor === null;
  }

  async untilEnd(): Promise<void> {
    while (!(await this.step()));
  }
}
