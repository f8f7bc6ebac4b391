import { ReviewApiError } from "./error.js";
import { routes } from "./operations.generated.js";
import { withRetries } from "./retry.js";
export { ReviewApiError };
export function createClient(options) {
    /** `read` is part of the attempt: a connection can also break in the middle of a body. */
    const attempt = (name, request, call, read) => withRetries(options, async () => await read(await dispatch(options, name, request, call)), isRepeatable(name), call.signal);
    const call = (name, request = {}, callOptions = {}) => attempt(name, request, callOptions, readJson);
    const raw = (name, request = {}, callOptions = {}) => attempt(name, request, callOptions, (response) => response);
    async function* pages(name, request = {}, callOptions = {}) {
        const ask = (cursor) => {
            const stop = new AbortController();
            const { signal } = callOptions;
            const call = { signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal };
            let resolveNext = () => { };
            const next = new Promise((resolve) => {
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
        let asked = ask(request.query?.cursor);
        let ahead;
        try {
            while (asked) {
                // Request one page ahead, as soon as the header arrives: the service works on it while the caller reads this
                // one.
                const announced = await asked.next;
                ahead = announced === null ? undefined : ask(announced);
                const page = await asked.page;
                const next = nextCursorOf(page.body);
                // The headers may be those of a try that broke, and the retry may have returned a shorter page.
                if (ahead?.cursor !== next)
                    ahead?.giveUp();
                yield { ...page, resumeCursor: page.headers.get("x-resume-cursor") };
                asked = next === null ? undefined : ahead?.cursor === next ? ahead : ask(next);
                ahead = undefined;
            }
        }
        finally {
            asked?.giveUp();
            ahead?.giveUp();
        }
    }
    const methods = Object.fromEntries(operationNames.map((name) => [
        name,
        (request, callOptions) => call(name, request, callOptions),
    ]));
    // The generated types describe the service's responses; the service's own tests check that they match.
    return { ...methods, pages, raw };
}
const operationNames = Object.keys(routes).filter((name) => name in routes);
async function readJson(response) {
    const { status, headers } = response;
    const text = await response.text();
    const type = headers.get("content-type") ?? "";
    if (text !== "" && !type.startsWith("application/json"))
        throw new Error(`The service answered ${type || "something"}; raw() is for what is not JSON.`);
    return { body: text === "" ? undefined : JSON.parse(text), status, headers };
}
function nextCursorOf(body) {
    const next = typeof body === "object" && body !== null && "next_cursor" in body ? body.next_cursor : null;
    return typeof next === "string" ? next : null;
}
/**
 * Reads can be repeated after a broken connection. The service's writes are safe to repeat too, but that is the
 * caller's choice.
 */
const isRepeatable = (name) => routes[name].method === "GET";
async function dispatch(options, name, request, call) {
    const { fetch = globalThis.fetch, key } = options;
    const response = await fetch(urlOf(options.baseUrl, name, request), {
        method: routes[name].method,
        headers: {
            "x-service-api-key": key,
            ...(request.body && { "content-type": "application/json" }),
        },
        ...(request.body && { body: JSON.stringify(request.body) }),
        ...(call.signal && { signal: call.signal }),
        // fetch would send the key along to the other address.
        redirect: "error",
    });
    if (!response.ok)
        throw await ReviewApiError.from(response);
    return response;
}
/** With an empty value the address would be another operation's. */
function pathValue(path, parameter) {
    const value = path[parameter];
    if (!value)
        throw new Error(`The path needs ${parameter}.`);
    return value;
}
function urlOf(baseUrl, name, { path = {}, query = {} }) {
    const filled = routes[name].path.replace(/\{(\w+)\}/g, (_, parameter) => encodeURIComponent(pathValue(path, parameter)));
    const search = new URLSearchParams();
    for (const [parameter, value] of Object.entries(query)) {
        for (const each of Array.isArray(value) ? value : [value]) {
            if (each !== undefined && each !== null)
                search.append(parameter, String(each));
        }
    }
    const text = search.toString();
    return `${baseUrl.replace(/\/+$/, "")}${filled}${text ? `?${text}` : ""}`;
}
