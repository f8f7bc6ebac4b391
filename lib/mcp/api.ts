import { type Client, createClient, type OperationName } from "../client/client.ts";
import { type AnyRequest, dispatch } from "../client/dispatch.ts";
import { mcpLimits, mcpUserAgent } from "../contract/mcp.ts";

export type ApiOptions = {
  /** The API's address, from the environment: never from the request. */
  readonly baseUrl: string;
  readonly key: string;
  readonly requestId: string;
  readonly signal: AbortSignal;
};

/** The API as the caller sees it: every request carries the caller's own key and request id. */
export class Api {
  readonly #options: ApiOptions;
  /** Whether the API answered 401. */
  refusedKey = false;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }

  /** A single attempt: the caller decides whether to repeat it. */
  send(name: OperationName, request: AnyRequest): Promise<Response> {
    return dispatch(this.#clientOptions(), name, request, { signal: this.signal });
  }

  /** A page of the reference, which needs no key. */
  async page(path: string): Promise<Response> {
    return await this.#fetch(`${this.#options.baseUrl}${path}`, { signal: this.signal, redirect: "error" });
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
    const response = await fetch(url, { ...init, headers });
    if (response.status === 401) this.refusedKey = true;
    return response;
  };
}
