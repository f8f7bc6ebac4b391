import { AsyncLocalStorage } from "node:async_hooks";

const underWay = new AsyncLocalStorage<string>();

/**
 * `file:line:column` of the source that made the current call. Undefined if the call is not from our code or not
 * through a port.
 */
export const siteUnderWay = (): string | undefined => underWay.getStore();

/**
 * The same port; every request that its methods (or the port itself) send, repeats included, is attributed to their
 * caller.
 */
export function marked<Port extends object>(port: Port): Port {
  const get = (target: Port, property: string | symbol): unknown => {
    const member: unknown = Reflect.get(target, property);
    if (typeof member !== "function") return member;
    const method = (...given: unknown[]): unknown =>
      within(siteOf(method), () => member.apply(target, given));
    return method;
  };
  const apply = (target: Port, _: unknown, given: readonly unknown[]): unknown => {
    if (typeof target !== "function") throw new Error("Only functions are called.");
    return within(siteOf(apply), () => Reflect.apply(target, undefined, given));
  };
  return new Proxy(port, { get, apply });
}

/** A walk belongs to the code that began it, even if other code reads its later items. */
export function markedWalk<Given extends readonly unknown[], Item>(
  walk: (...given: Given) => AsyncGenerator<Item>,
): (...given: Given) => AsyncGenerator<Item> {
  return function begin(...given) {
    return readOn(siteOf(begin), walk(...given));
  };
}

async function* readOn<Item>(site: string | undefined, items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  try {
    for (;;) {
      const next = await within(site, () => items.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await items.return(undefined);
  }
}

/** A port's work belongs to the port's caller, even if it goes through further ports. */
const within = <Answer>(site: string | undefined, work: () => Answer): Answer =>
  site === undefined || underWay.getStore() ? work() : underWay.run(site, work);

type Callable = (...given: never[]) => unknown;

/** Finding the line in the source is slow, so it is done once for every place in the running code. */
const sitesByPlace = new Map<string, string | undefined>();

const sourcePlace = /(?:lib|functions|cli)\/[\w/.-]+\.ts:\d+:\d+/;

/** The grants of a function are checked between a call and the port. */
const checksGrants = /\/test\/support\/granted-table\.ts/;

/** Where this call of `method` is written: the position of the calling frame only. */
function siteOf(method: Callable): string | undefined {
  if (underWay.getStore()) return undefined;
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 2;
  let place = "";
  Error.prepareStackTrace = (_, [above, further]) => {
    const isChecked = checksGrants.test(above?.getFileName() ?? "");
    Error.stackTraceLimit = isChecked ? 2 : 1;
    const frame = isChecked ? further : above;
    place = `${frame?.getFileName()}:${frame?.getLineNumber()}:${frame?.getColumnNumber()}`;
    return "";
  };
  stackAbove(method);
  Error.prepareStackTrace = prepareStackTrace;
  if (!sitesByPlace.has(place)) sitesByPlace.set(place, sourcePlace.exec(stackAbove(method))?.[0]);
  Error.stackTraceLimit = stackTraceLimit;
  return sitesByPlace.get(place);
}

function stackAbove(method: Callable): string {
  const here = { stack: "" };
  Error.captureStackTrace(here, method);
  return here.stack;
}
