import { StoreMeter } from "../../../../lib/store/meter.ts";

const { start, end } = StoreMeter.prototype;
let meters = new Set<StoreMeter>();
let underWay = 0;

/** Every request creates its own meter, deep in the chain: this function gets each meter that counts something. */
StoreMeter.prototype.start = function (operation) {
  meters.add(this);
  underWay++;
  return start.call(this, operation);
};
StoreMeter.prototype.end = function (call) {
  underWay--;
  end.call(this, call);
};

/** Calls of all requests that have begun and not ended. */
export const callsUnderWay = (): number => underWay;

/** The cost of requests, one after another. Requests must not overlap. */
export async function metered<Answer>(
  work: () => Promise<Answer>,
): Promise<{ readonly answer: Answer; readonly meter: StoreMeter }> {
  meters = new Set();
  const answer = await work();
  const [meter = new StoreMeter(), another] = meters;
  if (another) throw new Error("Two requests were counted at once.");
  return { answer, meter };
}
