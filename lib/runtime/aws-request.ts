import { createHash, createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { Agent, type ClientRequest, type IncomingHttpHeaders, request as requestPlain } from "node:http";
import { request as requestSecure, Agent as SecureAgent } from "node:https";
import { SignatureV4 } from "@smithy/signature-v4";
import { awsLimits } from "../contract/limits.ts";
import { AwsFault, NoAnswer } from "./aws-fault.ts";
import {
  type AwsIdentity,
  type AwsServiceName,
  endpointOf,
  environmentIdentity,
  signingNameOf,
} from "./aws-identity.ts";
import { certain } from "./certain.ts";
import { type Chance, systemChance } from "./chance.ts";
import { type Clock, systemClock } from "./clock.ts";

/**
 * Signed requests to AWS: what the functions need of its SDK, whose clients would be half of every bundle. The
 * signature is AWS's own package; the rest is one HTTPS request.
 */
export interface AwsClient {
  /** Answers with a 2xx. Throws AwsFault for any other answer, NoAnswer for none. */
  send(request: AwsRequest): Promise<AwsAnswer>;
  destroy(): void;
}

export type AwsRequest = {
  readonly method: "GET" | "PUT" | "POST";
  /** Percent-encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
};

export type AwsAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type AwsClientOptions = {
  readonly service: AwsServiceName;
  /** From the environment unless given. */
  readonly identity?: AwsIdentity | undefined;
  /** Replaces AWS's own. */
  readonly endpoint?: string | undefined;
  readonly hostPrefix?: string;
  readonly answerMsMax: number;
  /** More than one only where a request may be repeated. */
  readonly attemptsMax: number;
  readonly clock?: Clock;
  readonly chance?: Chance;
};

export function createAwsClient(options: AwsClientOptions): AwsClient {
  const { service, identity = environmentIdentity(), clock = systemClock, chance = systemChance } = options;
  const { region } = identity;
  const endpoint = new URL(options.endpoint ?? endpointOf(service, region, options.hostPrefix));
  const signer = new SignatureV4({
    service: signingNameOf(service),
    region,
    credentials: () => identity.credentials(),
    sha256: Sha256,
    // S3 alone takes paths as they are; everywhere else they are encoded once more for the signature.
    uriEscapePath: service !== "s3",
  });
  const isPlain = endpoint.protocol === "http:";
  const connections = { keepAlive: true, maxSockets: awsLimits.connectionsMax };
  const agent = isPlain ? new Agent(connections) : new SecureAgent(connections);

  async function attempt({ method, path, headers, body, signal }: AwsRequest): Promise<AwsAnswer> {
    const { protocol, hostname, host, port } = endpoint;
    const signed = await signer.sign(
      { method, protocol, hostname, path, headers: { ...headers, host }, body },
      { signingDate: new Date(clock.nowMs()) },
    );
    signal?.throwIfAborted();
    const start = isPlain ? requestPlain : requestSecure;
    const target = { host: hostname, port, path, method, headers: signed.headers, agent };
    const outgoing = start(signal ? { ...target, signal } : target);
    try {
      const answer = await answerTo(outgoing, body, options.answerMsMax);
      if (answer.status < 200 || answer.status > 299) throw new AwsFault(answer);
      return answer;
    } catch (error) {
      if (error instanceof AwsFault || signal?.aborted) throw error;
      throw new NoAnswer(`${service} did not answer.`, { cause: error });
    }
  }

  return {
    async send(request) {
      for (let tried = 1; ; tried++) {
        try {
          return await attempt(request);
        } catch (error) {
          if (tried >= options.attemptsMax || !isPassing(error)) throw error;
          await clock.sleep(jitteredDelayMs(chance, tried), request.signal);
        }
      }
    },
    destroy: () => agent.destroy(),
  };
}

/** The protocol of DynamoDB and SQS: a POST for every operation, JSON both ways. */
export async function callJson(
  client: AwsClient,
  target: string,
  input: object,
  signal?: AbortSignal,
): Promise<unknown> {
  const { body } = await client.send({
    method: "POST",
    path: "/",
    headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": target },
    body: JSON.stringify(input),
    signal,
  });
  // Operations that have nothing to tell may answer nothing at all.
  return body.length === 0 ? {} : jsonOf(body);
}

/** Without the parser's own words, which quote the text. */
export function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new NoAnswer("The answer is not JSON.");
  }
}

export const isPassing = (error: unknown): boolean =>
  error instanceof NoAnswer || (error instanceof AwsFault && error.kind !== "refused");

/** Full jitter: a random wait up to the exponential bound, so that rivals do not meet again. */
function jitteredDelayMs(chance: Chance, tried: number): number {
  const { baseDelayMs, delayMsMax } = awsLimits.retry;
  return 1 + chance.below(Math.min(delayMsMax, baseDelayMs * 2 ** tried));
}

function answerTo(
  outgoing: ClientRequest,
  body: AwsRequest["body"],
  answerMsMax: number,
): Promise<AwsAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<AwsAnswer>();
  const giveUpAfter = (ms: number, what: string) =>
    setTimeout(() => outgoing.destroy(new Error(`No ${what} within ${ms} ms.`)), ms);
  const overdue = giveUpAfter(answerMsMax, "answer");
  outgoing.on("socket", (socket) => {
    if (!socket.connecting) return;
    const unconnected = giveUpAfter(awsLimits.connectMsMax, "connection");
    socket.once("connect", () => clearTimeout(unconnected));
    outgoing.once("close", () => clearTimeout(unconnected));
  });
  outgoing.on("response", (incoming) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("error", reject);
    incoming.on("end", () =>
      resolve({
        status: certain(incoming.statusCode, "status of the answer"),
        headers: incoming.headers,
        body: Buffer.concat(chunks),
      }),
    );
  });
  outgoing.on("error", reject);
  outgoing.on("close", () => clearTimeout(overdue));
  outgoing.end(body);
  return promise;
}

/** The signer takes its hash as a class; this one is the platform's. */
class Sha256 {
  readonly #hash: { update(chunk: Uint8Array): unknown; digest(): Buffer };

  /** Its type names any bytes; what it signs with is a text, and then what `digest` gave it. */
  constructor(secret?: string | ArrayBuffer | ArrayBufferView);
  constructor(secret?: string | Uint8Array) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", keyOf(secret));
  }

  update(chunk: Uint8Array): void {
    this.#hash.update(chunk);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

/** Node takes five times as long over bare bytes as over a key made of them, and the signer's stay the same all day. */
const keysOfBytes = new WeakMap<object, KeyObject>();

function keyOf(secret: string | Uint8Array): string | KeyObject {
  if (typeof secret === "string") return secret;
  const key = keysOfBytes.get(secret) ?? createSecretKey(secret);
  keysOfBytes.set(secret, key);
  return key;
}
