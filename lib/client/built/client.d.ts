import { ReviewApiError } from "./error.js";
import { type Operations } from "./operations.generated.js";
import { type RetryOptions } from "./retry.js";
export type { Problem } from "./error.js";
export type { Operations, RetryOptions };
export { ReviewApiError };
/**
 * A typed client of the API: one method per operation, pages as async iteration. No dependency; runs in
 * Node 20 and later and in browsers.
 */
export type ClientOptions = RetryOptions & {
    /** The address of the API, such as https://api.example.com. */
    readonly baseUrl: string;
    readonly key: string;
    /** A replacement for `fetch`, for proxies and tests. */
    readonly fetch?: typeof globalThis.fetch;
};
export type CallOptions = {
    readonly signal?: AbortSignal;
};
export type OperationName = keyof Operations;
export type RequestOf<Name extends OperationName> = Operations[Name]["request"];
export type AnswerOf<Name extends OperationName> = Operations[Name]["answer"];
export type Answered<Body> = {
    readonly body: Body;
    readonly status: number;
    readonly headers: Headers;
};
/** Operations that return pages. */
export type PagedOperation = {
    [Name in OperationName]: AnswerOf<Name> extends {
        next_cursor: string | null;
    } ? Name : never;
}[OperationName];
export type Page<Body> = Answered<Body> & {
    /** Set on the last page if the walk can be resumed later: send it as `cursor` then. */
    readonly resumeCursor: string | null;
};
/** The request may be omitted if it has no required parts. */
type Arguments<Request> = Partial<Request> extends Request ? [request?: Request, options?: CallOptions] : [request: Request, options?: CallOptions];
type Methods = {
    readonly [Name in OperationName]: (...words: Arguments<RequestOf<Name>>) => Promise<Answered<AnswerOf<Name>>>;
};
export type Client = Methods & {
    /** Returns every page, including short and empty ones, from the request's own cursor or from the beginning. */
    pages<Name extends PagedOperation>(name: Name, ...words: Arguments<RequestOf<Name>>): AsyncGenerator<Page<AnswerOf<Name>>>;
    /** A page in a format other than JSON, as an unread response. An error while its body is read is not retried. */
    raw<Name extends OperationName>(name: Name, ...words: Arguments<RequestOf<Name>>): Promise<Response>;
};
export declare function createClient(options: ClientOptions): Client;
