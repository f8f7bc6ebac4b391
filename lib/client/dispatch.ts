import { ReviewApiError, UnsendableCall } from "./error.ts";
import { type Operations, routes } from "./operations.generated.ts";

type Connection = {
  readonly baseUrl: string;
  readonly key: string;
  readonly fetch?: typeof globalThis.fetch;
};

export type AnyRequest = {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: object;
};

/** One request without retries; throws ReviewApiError unless it succeeds. The caller answers for name and request. */
export async function dispatch(
  options: Connection,
  name: keyof Operations,
  request: AnyRequest,
  call: { readonly signal?: AbortSignal },
): Promise<Response> {
  const { fetch = globalThis.fetch, key } = options;
  // fetch would repeat the key in its error. A line break at the end comes from a file, and fetch leaves it out.
  if (!/^[ -~]*$/.test(key.trim()))
    throw new UnsendableCall("The key has a line break or another character that no key has. Copy it again.");
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
  if (!response.ok) throw await ReviewApiError.from(response);
  return response;
}

/** With an empty value, or one that an address resolves, the address would be another operation's. */
function pathValue(path: NonNullable<AnyRequest["path"]>, parameter: string): string {
  const value = path[parameter];
  if (!value) throw new UnsendableCall(`The path needs ${parameter}.`);
  if (value === "." || value === "..")
    throw new UnsendableCall(`The path cannot have the ${parameter} ${value}.`);
  return value;
}

function urlOf(baseUrl: string, name: keyof Operations, { path = {}, query = {} }: AnyRequest): string {
  // fetch refuses it, and would repeat it in its error.
  if (/^[^/]*\/\/[^/]*@/.test(baseUrl))
    throw new UnsendableCall("baseUrl must not have a user name or a password.");
  const filled = routes[name].path.replace(/\{(\w+)\}/g, (_, parameter: string) =>
    encodeURIComponent(pathValue(path, parameter)),
  );
  const search = new URLSearchParams();
  for (const [parameter, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) search.append(parameter, String(each));
    }
  }
  const text = search.toString();
  return `${baseUrl.replace(/\/+$/, "")}${filled}${text ? `?${text}` : ""}`;
}
