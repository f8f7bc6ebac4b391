import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { HttpRequest, HttpResponse } from "@smithy/core/protocols";
import * as z from "zod";
import { localEmbedder } from "../../../lib/index/local-embedder.ts";
import { answerSearchVectors } from "../../../lib/local/engine/search-vectors.ts";
import { NoAnswer } from "../../../lib/runtime/aws-error.ts";
import type { AwsRequestHandler, createRequestHandler } from "../../../lib/runtime/aws-handler.ts";
import { localIdentity } from "../../../lib/runtime/aws-identity.ts";
import type { StoreClient } from "../../../lib/store/client.ts";
import { engineKind } from "../../support/engine.ts";
import { siteUnderWay } from "./caller.ts";
import { DeadLetters } from "./dead-letters.ts";
import {
  type Answer,
  type Call,
  type Fault,
  type FaultInjector,
  halved,
  refusalOf,
  withoutToken,
  withUnprocessed,
} from "./fault.ts";

type Handle = AwsRequestHandler["handle"];
type Request = Parameters<Handle>[0];
type Response = Awaited<ReturnType<Handle>>;

const siteHeader = "x-call-site";
const silentHeader = "x-never-answered";
/** Of the store's client, for an address that never answers. */
const storePatienceMs = 10;
/** Of the other clients while a call is slow: the next try must be answered within this time. */
const patienceMs = 300;
/** A caller that waits longer than this would wait for ever. */
const heldMsMax = 3_000;

export type WatchOptions = {
  /** Clients time out early, since answers will be late. */
  readonly isSlow?: boolean;
  readonly hasWholePages?: boolean;
};

/**
 * Sits between the functions and AWS. Calls of the store go on to the engine; a server on loopback simulates the queue,
 * the bucket and the model.
 */
export class Wire {
  endpoint = "";
  /** Every call since the last `watch`. */
  readonly calls: Call[] = [];
  /** Callers that received items from a page after the first. */
  readonly readOn = new Set<string>();
  /** The messages that the queue accepted, by deduplication id. */
  readonly messages = new Map<string, unknown>();
  /** A caller did not give up on an answer that never came. */
  isWaitedFor = false;
  readonly deadLetters = new DeadLetters();
  readonly #objects = new Map<string, Buffer>();
  #strike: FaultInjector | undefined;
  #isSlow = false;
  #hasWholePages = false;
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

  /** Records calls from now on, and applies the faults that `strike` chooses. */
  watch(
    strike: FaultInjector = () => undefined,
    { isSlow = false, hasWholePages = false }: WatchOptions = {},
  ): void {
    this.calls.length = 0;
    this.#strike = strike;
    this.isWaitedFor = false;
    this.#isSlow = isSlow;
    this.#hasWholePages = hasWholePages;
  }

  rest(): void {
    this.#strike = undefined;
  }

  /** In front of every client: the signed requests of its SDK pass here. */
  door(
    create: typeof createRequestHandler,
    options: Parameters<typeof createRequestHandler>[0],
  ): AwsRequestHandler {
    const plain = create(options);
    const handler = engineKind.vectorIndex ? plain : withExactSearch(plain);
    const impatientStore = create({ ...options, answerMsMax: storePatienceMs });
    const impatient = create({ ...options, answerMsMax: patienceMs });
    const handle: Handle = async (request, more) => {
      if (!this.#strike) return handler.handle(request, more);
      const isStore = String(request.headers["x-amz-target"]).startsWith("DynamoDB_");
      const site = siteUnderWay() ?? `${request.hostname} from nowhere`;
      if (isStore) return this.#callStore({ handler, impatient: impatientStore }, request, site);
      const marked = changed(request, { headers: { [siteHeader]: site } });
      return (this.#isSlow ? impatient : handler).handle(marked, more);
    };
    const destroy = () => {
      for (const each of [handler, impatientStore, impatient]) each.destroy();
    };
    return { ...handler, destroy, handle };
  }

  #note(call: Call): Fault | undefined {
    this.calls.push(call);
    return this.#strike?.(call);
  }

  async #callStore(
    { handler, impatient }: Record<"handler" | "impatient", AwsRequestHandler>,
    request: Request,
    site: string,
  ): Promise<Response> {
    const operation = String(request.headers["x-amz-target"]).split(".").at(-1) ?? "";
    const sent = textOf(request.body);
    const body = this.#hasWholePages ? sent : cutShort(operation, sent);
    const call = { site, operation, body };
    const send = (text: string) => handler.handle(changed(request, { body: text }));
    const fault = this.#note(call);
    const refusal = fault && refusalOf(fault, call);
    if (refusal) return response(refusal);
    if (fault === "lost before") throw new NoAnswer("lost before");
    if (fault === "slow") {
      await send(body).catch(() => undefined);
      const { hostname, port } = new URL(this.endpoint);
      const elsewhere = { hostname, port: Number(port), headers: { [silentHeader]: "" } };
      return await impatient.handle(changed(request, elsewhere));
    }
    if (fault === "twin") await send(withoutToken(body)).catch(() => undefined);
    const halves = fault === "partial" ? halved(body) : undefined;
    const answer = await send(halves?.taken ?? body);
    const text = Buffer.from(answer.response.body);
    if (body.includes('"ExclusiveStartKey"') && !text.includes('"Items":[]')) this.readOn.add(site);
    if (fault === "lost after") throw new NoAnswer("lost after");
    if (halves) answer.response.body = withUnprocessed(text, halves.left);
    return answer;
  }

  async #take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (incoming.headers[silentHeader] !== undefined) return this.#hold(response);
    const site = incoming.headers[siteHeader];
    const call = { site: String(site), operation: operationOf(incoming), body: body.toString() };
    const fault = site === undefined ? undefined : this.#note(call);
    const answer =
      (fault && refusalOf(fault, call)) ??
      (fault === "lost before" ? undefined : await this.#answer(call, pathOf(incoming), body, fault));
    if (fault === "slow") return this.#hold(response);
    if (fault === "lost after" || !answer) response.destroy();
    else response.writeHead(answer.status).end(answer.body);
  }

  #hold(response: ServerResponse): void {
    const tooLong = setTimeout(() => {
      this.isWaitedFor = true;
      response.destroy();
    }, heldMsMax);
    response.once("close", () => clearTimeout(tooLong));
  }

  async #answer(
    { operation, body }: Call,
    path: string,
    bytes: Buffer,
    fault: Fault | undefined,
  ): Promise<Answer> {
    if (operation === "SendMessageBatch")
      return this.#queue(sent.parse(JSON.parse(body)).Entries, fault === "partial");
    if (operation.includes("Message")) return okJson(this.deadLetters.answer(operation, JSON.parse(body)));
    if (operation === "InvokeModel") {
      const embedding = await localEmbedder.embed(asked.parse(JSON.parse(body)).inputText);
      return okJson({ embedding });
    }
    if (operation === "PutObject") this.#objects.set(path, bytes);
    const object = this.#objects.get(path);
    return object ? ok(object) : { ...ok(Buffer.from("<Error><Code>NoSuchKey</Code></Error>")), status: 404 };
  }

  #queue(entries: z.output<typeof sent>["Entries"], isPartial: boolean): Answer {
    for (const { Id: _, MessageDeduplicationId: id, ...entry } of isPartial ? entries.slice(1) : entries)
      this.messages.set(id, entry);
    const Failed = isPartial ? [{ Id: entries[0]?.Id, SenderFault: false, Code: "InternalError" }] : [];
    return okJson({ Successful: [], Failed });
  }
}

/** The engine has no vector index: an exact search answers SearchVectors, after the fault is applied. */
function withExactSearch(handler: AwsRequestHandler): AwsRequestHandler {
  return {
    ...handler,
    async handle(request, more) {
      if (!request.headers["x-amz-target"]?.endsWith(".SearchVectors"))
        return await handler.handle(request, more);
      // A client that does not go through this wire.
      const client = new DynamoDBClient({
        endpoint: `http://${request.hostname}:${request.port}`,
        region: localIdentity.region,
        credentials: await localIdentity.credentials(),
      });
      const documents = DynamoDBDocumentClient.from(client);
      const store: StoreClient = { send: (command) => documents.send(command), destroy: () => undefined };
      const found = await answerSearchVectors(store, JSON.parse(textOf(request.body)));
      client.destroy();
      return response(okJson(found));
    },
  };
}

/** The SDK warns if its bytes are used as text. */
const textOf = (body: Uint8Array | string): string =>
  typeof body === "string" ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();

/** The same request with another body; no server on loopback checks the signature. */
function changed(
  request: Request,
  { headers, ...more }: Partial<Pick<Request, "headers" | "body" | "hostname" | "port">>,
) {
  const copy = Object.assign(HttpRequest.clone(request), more);
  copy.headers = { ...request.headers, ...headers };
  if (more.body !== undefined) copy.headers["content-length"] = String(Buffer.byteLength(more.body));
  return copy;
}

const response = ({ status, headers, body }: Answer): Response => ({
  response: new HttpResponse({ statusCode: status, headers: { ...headers }, body }),
});

/** The store may end a page anywhere: here it ends the first page of every read after one item. */
function cutShort(operation: string, body: string): string {
  const isFirstPage = /^(?:Query|Scan)$/.test(operation) && !body.includes('"ExclusiveStartKey"');
  return isFirstPage ? JSON.stringify({ ...JSON.parse(body), Limit: 1 }) : body;
}

const sent = z.object({
  Entries: z.array(z.looseObject({ Id: z.string(), MessageDeduplicationId: z.string() })),
});
const asked = z.object({ inputText: z.string() });
const okJson = (answer: object): Answer => ok(Buffer.from(JSON.stringify(answer)));
const ok = (body: Buffer): Answer => ({ status: 200, headers: {}, body });

/** The SDK's query names the operation: what one puts, another gets. */
const pathOf = ({ url = "" }: IncomingMessage): string => url.split("?", 1)[0] ?? "";

function operationOf({ headers, url = "", method = "" }: IncomingMessage): string {
  const target = String(headers["x-amz-target"] ?? "")
    .split(".")
    .at(-1);
  if (target) return target;
  return url.startsWith("/model/") ? "InvokeModel" : `${method === "PUT" ? "Put" : "Get"}Object`;
}

/**
 * Simulates the death of a process: from the first call of this place on (`file`, or `file operation`) nothing arrives.
 */
export async function dieAt(
  { wire, wait }: { readonly wire: Wire; wait(ms: number): void },
  place: string,
  work: () => Promise<unknown>,
): Promise<void> {
  let isDead = false;
  wire.watch(({ site, operation }) => {
    isDead ||= `${site.split(":", 1)[0]} ${operation}`.startsWith(place);
    // The dead process retries until its deadline; the test need not wait that long.
    if (isDead) wait(100);
    return isDead ? "lost before" : undefined;
  });
  await work();
  wire.rest();
  if (!isDead) throw new Error(`Nobody came by ${place}.`);
}
