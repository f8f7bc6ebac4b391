import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import * as z from "zod";
import { localEmbedder } from "../../../lib/index/local-embedder.ts";
import { AwsFault, NoAnswer } from "../../../lib/runtime/aws-fault.ts";
import type { AwsAnswer, AwsClient, AwsClientOptions, AwsRequest } from "../../../lib/runtime/aws-request.ts";
import {
  type Answer,
  type Call,
  type Fault,
  halved,
  handedBack,
  refusalOf,
  type Strike,
  withoutToken,
} from "./fault.ts";
import { siteOfCaller } from "./sites.ts";

const siteHeader = "x-call-site";
const slowMs = 15;
const aWhile = () => new Promise((resolve) => setTimeout(resolve, slowMs));

/**
 * What stands between the functions and AWS. Calls of the store go on to the engine; the queue, the bucket and
 * the model are played at an address on loopback, since their clients repeat by themselves.
 */
export class Wire {
  endpoint = "";
  /** Every call since the last `watch`. */
  readonly calls: Call[] = [];
  /** What the queue took, by deduplication id. */
  readonly messages = new Map<string, unknown>();
  readonly #objects = new Map<string, Buffer>();
  #strike: Strike | undefined;
  readonly #server = createServer((incoming, response) => void this.#take(incoming, response));

  async open(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    this.endpoint = `http://127.0.0.1:${address && typeof address === "object" ? address.port : 0}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** From now on calls are noted, and struck as `strike` says. */
  watch(strike: Strike = () => undefined): void {
    this.calls.length = 0;
    this.#strike = strike;
  }

  rest(): void {
    this.#strike = undefined;
  }

  /** In front of every client. */
  door(client: AwsClient, { service }: AwsClientOptions): AwsClient {
    const sites = new Map<string, string>();
    const send = (outgoing: AwsRequest): Promise<AwsAnswer> => {
      if (!this.#strike) return client.send(outgoing);
      const content = `${outgoing.path} ${outgoing.body}`;
      // A repetition is told from the same place, also where the trace of it has been lost.
      const site = siteOfCaller() ?? sites.get(content) ?? `${service} from nowhere`;
      sites.set(content, site);
      if (service === "dynamodb") return this.#callStore(client, outgoing, site);
      return client.send({ ...outgoing, headers: { ...outgoing.headers, [siteHeader]: site } });
    };
    return { destroy: () => client.destroy(), send };
  }

  #note(call: Call): Fault | undefined {
    this.calls.push(call);
    return this.#strike?.(call);
  }

  async #callStore(client: AwsClient, outgoing: AwsRequest, site: string): Promise<AwsAnswer> {
    const body = String(outgoing.body);
    const call = { site, operation: outgoing.headers?.["x-amz-target"]?.split(".").at(-1) ?? "", body };
    const fault = this.#note(call);
    const refusal = fault && refusalOf(fault, call);
    if (refusal) throw new AwsFault({ ...refusal, headers: {} });
    if (fault === "lost before") throw new NoAnswer("lost before");
    if (fault === "slow") await aWhile();
    if (fault === "twin") await client.send({ ...outgoing, body: withoutToken(body) }).catch(() => undefined);
    const halves = fault === "partial" ? halved(body) : undefined;
    const answer = await client.send(halves ? { ...outgoing, body: halves.taken } : outgoing);
    if (fault === "lost after") throw new NoAnswer("lost after");
    return halves ? { ...answer, body: handedBack(answer.body, halves.left) } : answer;
  }

  async #take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const call = {
      site: String(incoming.headers[siteHeader]),
      operation: operationOf(incoming),
      body: body.toString(),
    };
    const fault = incoming.headers[siteHeader] === undefined ? undefined : this.#note(call);
    if (fault === "slow") await aWhile();
    const answer =
      (fault && refusalOf(fault, call)) ??
      (fault === "lost before" ? undefined : await this.#answer(call, incoming.url ?? "", body, fault));
    if (fault === "lost after" || !answer) response.destroy();
    else response.writeHead(answer.status).end(answer.body);
  }

  async #answer(
    { operation, body }: Call,
    path: string,
    bytes: Buffer,
    fault: Fault | undefined,
  ): Promise<Answer> {
    if (operation === "SendMessageBatch")
      return this.#queue(sent.parse(JSON.parse(body)).Entries, fault === "partial");
    if (operation === "InvokeModel") {
      const embedding = await localEmbedder.embed(asked.parse(JSON.parse(body)).inputText);
      return ok(Buffer.from(JSON.stringify({ embedding })));
    }
    if (operation === "PutObject") this.#objects.set(path, bytes);
    const object = this.#objects.get(path);
    return object ? ok(object) : { ...ok(Buffer.from("<Code>NoSuchKey</Code>")), status: 404 };
  }

  #queue(entries: z.output<typeof sent>["Entries"], isPartial: boolean): Answer {
    for (const { Id: _, ...entry } of isPartial ? entries.slice(1) : entries)
      this.messages.set(entry.MessageDeduplicationId, entry);
    const Failed = isPartial ? [{ Id: entries[0]?.Id, SenderFault: false, Code: "InternalError" }] : [];
    return ok(Buffer.from(JSON.stringify({ Successful: [], Failed })));
  }
}

const sent = z.object({
  Entries: z.array(z.looseObject({ Id: z.string(), MessageDeduplicationId: z.string() })),
});
const asked = z.object({ inputText: z.string() });
const ok = (body: Buffer): Answer => ({ status: 200, headers: {}, body });

function operationOf({ headers, url = "", method = "" }: IncomingMessage): string {
  const target = String(headers["x-amz-target"] ?? "")
    .split(".")
    .at(-1);
  if (target) return target;
  return url.startsWith("/model/") ? "InvokeModel" : `${method === "PUT" ? "Put" : "Get"}Object`;
}

/** Lets a process die on its way: from the first call of this place on (`file`, or `file operation`) nothing arrives. */
export async function dieAt(wire: Wire, place: string, work: () => Promise<unknown>): Promise<void> {
  let isDead = false;
  wire.watch(({ site, operation }) => {
    isDead ||= `${site.split(":", 1)[0]} ${operation}`.startsWith(place);
    return isDead ? "lost before" : undefined;
  });
  await work();
  wire.rest();
  if (!isDead) throw new Error(`Nobody came by ${place}.`);
}
