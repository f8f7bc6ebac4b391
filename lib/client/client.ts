import { type AnyRequest, dispatch } from "./dispatch.ts";
import { ReviewApiError } from "./error.ts";
import { newIdempotencyKey } from "./idempotency-key.ts";
import { type Operations, routes } from "./operations.generated.ts";
import { type RetryOptions, withRetries } from "./retry.ts";

export type { Problem } from "./error.ts";
export type { VerifyOptions, WebhookDelivery, WebhookHeaders } from "./verify-webhook.ts";
export { verifyWebhook, WebhookVerificationError } from "./verify-webhook.ts";
export type { Operations, RetryOptions };
export { ReviewApiError };

/**
 * A typed client of the API: one method per operation, pages as async iteration. No dependency; runs in
 * Node 20.12 and later and in browsers.
 */
export type ClientOptions = RetryOptions & {
  /** The address of the API, such as https://api.example.com. */
  readonly baseUrl: string;
  readonly key: string;
  /** A replacement for `fetch`, for proxies and tests. */
  readonly fetch?: typeof globalThis.fetch;
};

export type CallOptions = { readonly signal?: AbortSignal };
export type OperationName = keyof Operations;
export type RequestOf<Name extends OperationName> = Operations[Name]["request"];
export type ResponseOf<Name extends OperationName> = Operations[Name]["answer"];

export type Answered<Body> = {
  readonly body: Body;
  readonly status: number;
  readonly headers: Headers;
};

/** Operations that return pages. */
export type PagedOperation = {
  [Name in OperationName]: ResponseOf<Name> extends { next_cursor: string | null } ? Name : never;
}[OperationName];

export type Page<Body> = Answered<Body> & {
  /** Set on the last page if a later read can continue from here: send it as `cursor` then. */
  readonly resumeCursor: string | null;
};

/** The request may be omitted if it has no required parts. */
type Arguments<Request> =
  Partial<Request> extends Request
    ? [request?: Request, options?: CallOptions]
    : [request: Request, options?: CallOptions];

type Methods = {
  readonly [Name in OperationName]: (
    ...words: Arguments<RequestOf<Name>>
  ) => Promise<Answered<ResponseOf<Name>>>;
};

export type Client = Methods & {
  /**
   * Returns every page, including short and empty ones, from the request's own cursor or from the beginning.
   *
   * @example
   * for await (const { body } of api.pages("listLearnings", { query: { limit: 100 } }))
   *   for (const { id, learning } of body.data) console.log(id, learning);
   */
  pages<Name extends PagedOperation>(
    name: Name,
    ...words: Arguments<RequestOf<Name>>
  ): AsyncGenerator<Page<ResponseOf<Name>>>;
  /**
   * A page in a format other than JSON, as an unread response. An error while its body is read is not retried.
   *
   * @example
   * const response = await api.raw("listLearnings", { query: { format: "csv" } });
   * await writeFile("learnings.csv", await response.text());
   */
  raw<Name extends OperationName>(name: Name, ...words: Arguments<RequestOf<Name>>): Promise<Response>;
};

/** Sends a request until it succeeds. `read` is part of an attempt: a connection can also break in the middle of a body. */
type Attempt = <Answer>(
  name: OperationName,
  request: AnyRequest,
  options: CallOptions,
  read: (response: Response) => Promise<Answer> | Answer,
) => Promise<Answer>;

/** A requested page, and the cursor of the next one, which is known as soon as the headers arrive. */
type Asked = {
  readonly cursor: unknown;
  readonly page: Promise<Answered<unknown>>;
  readonly next: Promise<string | null>;
  giveUp(): void;
};

/**
 * A client with a method for each operation. It repeats what the service asks to repeat, and throws `ReviewApiError`.
 *
 * @example
 * const api = createClient({ baseUrl: "https://api.example.com", key: process.env.REVIEW_API_KEY ?? "" });
 * const { body } = await api.getRole({ path: { role_id: "cr_admin" } });
 */
export function createClient(options: ClientOptions): Client {
  const attempt: Attempt = (name, request, call, read) => {
    // Made once: every attempt sends the same one.
    const repeated = withIdempotencyKey(name, request);
    const send = async () => await read(await dispatch(options, name, repeated, call));
    return withRetries(options, send, isRepeatable(name), call.signal);
  };
  const raw = (name: OperationName, request: AnyRequest = {}, call: CallOptions = {}) =>
    attempt(name, request, call, (response) => response);
  const methods = Object.fromEntries(
    operationNames.map((name) => [
      name,
      (request: AnyRequest = {}, call: CallOptions = {}) => attempt(name, request, call, readJson),
    ]),
  );
  // The generated types describe the service's responses; the service's own tests check that they match.
  return { ...methods, pages: walkPages.bind(undefined, attempt), raw } as unknown as Client;
}

/** Requests one page ahead, as soon as the header arrives: the service works on it while the caller reads this one. */
async function* walkPages(
  attempt: Attempt,
  name: OperationName,
  request: AnyRequest = {},
  { signal }: CallOptions = {},
) {
  const ask = (cursor: unknown): Asked => {
    const stop = new AbortController();
    const call = { signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal };
    let resolveNext: (next: string | null) => void = () => {};
    const next = new Promise<string | null>((resolve) => {
      resolveNext = resolve;
    });
    const page = attempt(name, { ...request, query: { ...request.query, cursor } }, call, (response) => {
      resolveNext(response.headers.get("x-next-cursor"));
      return readJson(response);
    });
    // The caller receives the error when it awaits this page.
    page.catch(() => resolveNext(null));
    return { cursor, page, next, giveUp: () => stop.abort() };
  };
  let asked: Asked | undefined = ask(request.query?.cursor);
  let ahead: Asked | undefined;
  try {
    while (asked) {
      const announced: string | null = await asked.next;
      ahead = announced === null ? undefined : ask(announced);
      const page: Answered<unknown> = await asked.page;
      const next = nextCursorOf(page.body);
      // The headers may be those of a try that broke, and the retry may have returned a shorter page.
      if (ahead?.cursor !== next) ahead?.giveUp();
      yield { ...page, resumeCursor: page.headers.get("x-resume-cursor") };
      asked = next === null ? undefined : ahead?.cursor === next ? ahead : ask(next);
      ahead = undefined;
    }
  } finally {
    asked?.giveUp();
    ahead?.giveUp();
  }
}

const operationNames = Object.keys(routes).filter((name): name is OperationName => name in routes);

async function readJson(response: Response): Promise<Answered<unknown>> {
  const { status, headers } = response;
  const text = await response.text();
  // A gateway in between can lose the body: that is a broken connection.
  if (text === "" && status !== 204)
    throw new TypeError(`The service responded with ${status} and no body.`, { cause: new Error("no body") });
  const type = headers.get("content-type") ?? "";
  if (text !== "" && !type.startsWith("application/json"))
    throw new Error(`The service responded with ${type || "something else"}; raw() is for what is not JSON.`);
  return { body: text === "" ? undefined : JSON.parse(text), status, headers };
}

function nextCursorOf(body: unknown): string | null {
  const next =
    typeof body === "object" && body !== null && "next_cursor" in body ? body.next_cursor : undefined;
  if (next === null || typeof next === "string") return next;
  throw new Error("The response is no page of the API: it has no next_cursor.");
}

/**
 * Reads can be repeated after a broken connection, and writes with an idempotency key. The service's other writes are
 * safe to repeat too, but may answer differently: that is the caller's choice.
 */
const isRepeatable = (name: OperationName): boolean =>
  routes[name].method === "GET" || "readOnly" in routes[name] || "takesIdempotencyKey" in routes[name];

const withIdempotencyKey = (name: OperationName, request: AnyRequest): AnyRequest =>
  "takesIdempotencyKey" in routes[name]
    ? { ...request, body: { ...request.body, idempotency_key: keyIn(request.body) ?? newIdempotencyKey() } }
    : request;

/** A caller may name it and leave it undefined. */
const keyIn = (body: object = {}): unknown => ("idempotency_key" in body ? body.idempotency_key : undefined);
