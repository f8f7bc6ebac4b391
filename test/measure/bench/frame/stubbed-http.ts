import { EventEmitter } from "node:events";
import http from "node:http";
import { Readable } from "node:stream";
import * as z from "zod";
import type { Attributes } from "../support/attributes.ts";
import { itemBytes } from "../support/engine-file.ts";

/** Every item of a table, by partition and sort key; unchanged from an engine. */
export const itemsSchema = z.array(z.tuple([z.string(), z.custom<Attributes>()]));
type Items = { places(): string[]; get(place: string): Attributes | undefined };
export const placeOf = (pk: string, sk: string): string => `${pk}\u0000${sk}`;

/**
 * Replaces Node's own `http.request` with one that answers DynamoDB calls from memory: below the signing and the JSON
 * of every contestant, so that all of them run as they were built, and above the sockets, whose noise would hide the
 * frames. Each answer is computed once and then looked up by the bytes of the request.
 */
export function stubHttp(all: ReadonlyArray<readonly [string, Attributes]>): void {
  // As text: the garbage collector would look at every value of every item, at the contestant's expense.
  const texts = new Map(all.map(([place, item]) => [place, JSON.stringify(item)]));
  const items: Items = {
    places: () => [...texts.keys()],
    get: (place) => {
      const text = texts.get(place);
      return text === undefined ? undefined : JSON.parse(text);
    },
  };
  const known = new Map<string, Buffer>();
  const answerTo = (operation: string, body: string): Buffer => {
    const answer = known.get(body) ?? Buffer.from(JSON.stringify(workOut(items, operation, body)));
    // The limiter's writes are never the same twice.
    if (operation !== "UpdateItem") known.set(body, answer);
    return answer;
  };
  const request = (
    { headers }: { readonly headers: Readonly<Record<string, string>> },
    onResponse: (incoming: EventEmitter) => void,
  ) =>
    new StubbedRequest(headers["x-amz-target"]?.split(".").at(-1) ?? "", answerTo).once(
      "response",
      onResponse,
    );
  Reflect.set(http, "request", request);
}

/** A socket passes on a large answer in such pieces. */
const socketBytes = 65_536;

class StubbedRequest extends EventEmitter {
  readonly #operation: string;
  readonly #answerTo: (operation: string, body: string) => Buffer;

  constructor(operation: string, answerTo: (operation: string, body: string) => Buffer) {
    super();
    this.#operation = operation;
    this.#answerTo = answerTo;
  }

  destroy(): void {}

  /** The SDK passes bytes, which a map would never find again. */
  end(body: string | Uint8Array): void {
    const answer = this.#answerTo(this.#operation, Buffer.from(body).toString());
    this.emit("socket", { connecting: false });
    setImmediate(() => {
      // A stream: AWS's own handler pipes it.
      const incoming = Object.assign(new Readable({ read: () => {} }), { statusCode: 200, headers: {} });
      this.emit("response", incoming);
      // The SDK passes on the body a few turns later.
      setImmediate(() => {
        for (let start = 0; start < answer.length; start += socketBytes)
          incoming.push(answer.subarray(start, start + socketBytes));
        incoming.push(null);
        this.emit("close");
      });
    });
  }
}

const text = z.object({ S: z.string() });
const batchGet = z.object({
  RequestItems: z.record(z.string(), z.object({ Keys: z.array(z.object({ pk: text, sk: text })) })),
});
const keyed = z.object({ Key: z.object({ pk: text, sk: text }) });
const query = z.object({
  KeyConditionExpression: z.string(),
  ExpressionAttributeValues: z.record(z.string(), text),
  Limit: z.int().default(Number.MAX_SAFE_INTEGER),
});
/** DynamoDB's limit of one answer. */
const answerBytesMax = 1024 ** 2;

function workOut(items: Items, operation: string, body: string): object {
  const ConsumedCapacity = { TableName: "bench", CapacityUnits: 1 };
  if (operation === "UpdateItem") return { Attributes: limiterItem(body), ConsumedCapacity };
  if (operation === "BatchGetItem") {
    const tables = Object.entries(batchGet.parse(JSON.parse(body)).RequestItems);
    const found = tables.map(([table, { Keys }]) => [
      table,
      Keys.map(({ pk, sk }) => items.get(placeOf(pk.S, sk.S))).filter((item) => item !== undefined),
    ]);
    return {
      Responses: Object.fromEntries(found),
      UnprocessedKeys: {},
      ConsumedCapacity: [ConsumedCapacity],
    };
  }
  if (operation === "GetItem") {
    const { pk, sk } = keyed.parse(JSON.parse(body)).Key;
    return { Item: items.get(placeOf(pk.S, sk.S)), ConsumedCapacity };
  }
  if (operation !== "Query") throw new Error(`The stub knows no ${operation}.`);
  return { ...queried(items, body), ConsumedCapacity };
}

function queried(items: Items, body: string): object {
  const { KeyConditionExpression, ExpressionAttributeValues, Limit } = query.parse(JSON.parse(body));
  const [pk = "", from = "", upTo = ""] = Object.values(ExpressionAttributeValues).map(({ S }) => S);
  const isRange = KeyConditionExpression.includes("BETWEEN");
  const isWanted = (place: string) =>
    isRange ? place >= placeOf(pk, from) && place <= placeOf(pk, upTo) : place.startsWith(placeOf(pk, from));
  const wanted = items.places().filter(isWanted).sort();
  const Items: Attributes[] = [];
  let bytes = 0;
  for (const place of wanted) {
    const item = items.get(place) ?? {};
    bytes += itemBytes(item);
    if (Items.length === Limit || bytes > answerBytesMax) {
      const { pk: lastPk, sk } = Items.at(-1) ?? {};
      return { Items, Count: Items.length, ScannedCount: Items.length, LastEvaluatedKey: { pk: lastPk, sk } };
    }
    Items.push(item);
  }
  return { Items, Count: Items.length, ScannedCount: Items.length };
}

/** The limiter's item after a first call in its window. */
function limiterItem(body: string): object {
  const { Key } = keyed.parse(JSON.parse(body));
  return { ...Key, s0: { S: `${Date.now().toString(36)}#AAAAAAAA` }, ttl: { N: "4102444800" } };
}
