import { type Client, createClient, type OperationName, ReviewApiError } from "../client/client.ts";
import { type AnyRequest, dispatch } from "../client/dispatch.ts";
import { mcpLimits, mcpUserAgent } from "../contract/mcp.ts";

export type ApiOptions = {
  /** The API's address, from the environment: never from the request. */
  readonly baseUrl: string;
  readonly key: string;
  readonly requestId: string;
  readonly fetch: typeof globalThis.fetch;
  /** Fires when the answer must be sent. */
  readonly signal: AbortSignal;
  /** Fires earlier: a report that still reads then would have no time to count. */
  readonly wrapUpSignal: AbortSignal;
};

/** The API as the caller sees it: every request carries the caller's own key and request id. */
export class Api {
  readonly #options: ApiOptions;
  /** Whether the API was asked, and whether it answered 401. */
  wasAsked = false;
  refusedKey = false;
  /** The last refusal by the rate limit: waiting for it takes the time of a report. */
  limited: ReviewApiError | undefined;
  /** A mistake of this service in a tool or a resource: the protocol's own code would send its text to the caller. */
  fault: unknown;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  get wrapUpSignal(): AbortSignal {
    return this.#options.wrapUpSignal;
  }

  /** A single attempt: the caller decides whether to repeat it. */
  send(name: OperationName, request: AnyRequest): Promise<Response> {
    return dispatch(this.#clientOptions(), name, request, { signal: this.#options.signal });
  }

  /** A page of the reference, which needs no key. */
  async page(path: string): Promise<Response> {
    const { baseUrl, signal } = this.#options;
    return await this.#fetch(`${baseUrl}${path}`, { signal, redirect: "error" });
  }

  /** For reports, which read many pages. */
  client(): Client {
    return createClient({
      ...this.#clientOptions(),
      retryAfterSecondsMax: mcpLimits.retryAfterSecondsMax,
    });
  }

  #clientOptions() {
    const { baseUrl, key } = this.#options;
    return { baseUrl, key, fetch: this.#fetch };
  }

  readonly #fetch = async (...[url, init]: Parameters<typeof fetch>): Promise<Response> => {
    const headers = new Headers(init?.headers);
    headers.set("user-agent", mcpUserAgent);
    headers.set("x-request-id", this.#options.requestId);
    // Lambda freezes a function between requests: a connection that was kept open would be dead afterwards.
    headers.set("connection", "close");
    this.wasAsked = true;
    const response = await this.#options.fetch(url, { ...init, headers });
    if (response.status === 401) this.refusedKey = true;
    if (response.status === 429) this.limited = await ReviewApiError.from(response.clone());
    return response;
  };
}
