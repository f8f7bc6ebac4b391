import { AsyncLocalStorage } from "node:async_hooks";

const underWay = new AsyncLocalStorage<string>();

/** `file:line:column` of who made the call under way. Undefined when nobody of ours did, or not through a port. */
export const siteUnderWay = (): string | undefined => underWay.getStore();

/** The same port; all that its methods (or itself) send out, also when they repeat it, is known as their caller's. */
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

/** A walk is its beginner's, whoever reads on in it. */
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

/** What a port does on its caller's behalf is the caller's, through whatever ports it goes. */
const within = <Answer>(site: string | undefined, work: () => Answer): Answer =>
  site === undefined || underWay.getStore() ? work() : underWay.run(site, work);

type Callable = (...given: never[]) => unknown;

/** To find the line in the source is slow, so it is done once for every place in the code that runs. */
const sitesByPlace = new Map<string, string | undefined>();

const sourcePlace = /(?:lib|functions|cli)\/[\w/.-]+\.ts:\d+:\d+/;

/** Where this call of `method` is written: the real frame's place, and no other. */
function siteOf(method: Callable): string | undefined {
  if (underWay.getStore()) return undefined;
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 1;
  let place = "";
  Error.prepareStackTrace = (_, [frame]) => {
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
