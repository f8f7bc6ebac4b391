import type { IncomingMessage, RequestOptions } from "node:http";
import { request as requestOverHttp } from "node:http";
import { request as requestOverHttps } from "node:https";
import { isIP, type NetConnectOpts } from "node:net";
import { webhookLimits } from "../contract/limits.ts";
import type { Clock } from "../runtime/clock.ts";
import { AddressRefused, type CheckedReceiver, checkReceiver, type Network } from "./addresses.ts";
import type { SignedMessage } from "./sign.ts";

/** What an attempt met. Without an answer, `status` is null and `answer` says what went wrong. */
export type Attempt = { readonly status: number | null; readonly ms: number; readonly answer: string };

export type Sender = { readonly clock: Clock; readonly network: Network };

export const isDelivered = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300;

/** The receiver wants no further rings. */
export const isGone = ({ status }: Pick<Attempt, "status">): boolean => status === 410;

/**
 * One attempt: resolves the name, checks all its addresses, and connects to the first of them that answers. The name is
 * never resolved a second time, redirects are not followed, and everything together ends after 15 seconds.
 */
export async function send(
  { clock, network }: Sender,
  url: string,
  message: SignedMessage,
): Promise<Attempt> {
  const startMs = clock.nowMs();
  const signal = AbortSignal.timeout(network.attemptMsMax);
  // The signal does not end a question to a name server, but nobody waits for its answer any more.
  const timeUp = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  timeUp.catch(() => {});
  const work = async () => exchange(await checkReceiver(url, network), message, network, signal);
  try {
    const { status, text } = await Promise.race([work(), timeUp]);
    return { status, ms: clock.nowMs() - startMs, answer: text };
  } catch (error) {
    const answer = signal.aborted ? "no complete response in time" : reasonOf(error);
    return { status: null, ms: clock.nowMs() - startMs, answer };
  }
}

type Exchanged = { readonly status: number; readonly text: string };

const exchange = (
  { url, hostname, addresses }: CheckedReceiver,
  { body, headers }: SignedMessage,
  { trusted }: Network,
  signal: AbortSignal,
): Promise<Exchanged> =>
  new Promise((resolve, reject) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    const options: RequestOptions & NetConnectOpts & { ca?: string } = {
      method: "POST",
      // The certificate must be the name's, although the connection is to one of the checked addresses.
      host: hostname,
      // Node must not resolve the name again.
      lookup: (_, __, give) => give(null, found),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: webhookLimits.connectMsMax,
      port: Number(url.port || (url.protocol === "https:" ? 443 : 80)),
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, "content-length": Buffer.byteLength(body) },
      ...(trusted !== undefined && { ca: trusted }),
      agent: false,
      signal,
    };
    const request = (url.protocol === "https:" ? requestOverHttps : requestOverHttp)(options);
    request.on("error", reject);
    request.on("response", (response) => {
      // From now on the status decides. What is wrong with the body afterwards is no error of the request.
      request.off("error", reject).on("error", () => {});
      const { statusCode: status = 0, headers } = response;
      const isRedirect = status >= 300 && status < 400;
      const redirected = `redirect, not followed: ${headers.location ?? "without a location"}`;
      readText(response, signal).then(
        (text) => resolve({ status, text: isRedirect ? shown(Buffer.from(redirected)) : text }),
        reject,
      );
    });
    // Nobody asked for another protocol: Node has no response for this answer.
    request.on("upgrade", ({ statusCode: status = 101 }, socket) => {
      socket.destroy();
      resolve({ status, text: "another protocol, not followed" });
    });
    request.end(body);
  });

/** The beginning of the answer. Its status has arrived, so a broken or endless body is no failure. */
async function readText(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      chunks.push(Buffer.from(chunk));
      bytes += chunk.length;
      if (bytes >= webhookLimits.answerBytesMax) break;
    }
  } catch (error) {
    if (signal.aborted) throw error;
  }
  response.destroy();
  return shown(Buffer.concat(chunks));
}

/** The first bytes as text; a character that is cut is left out. */
const shown = (bytes: Buffer): string =>
  new TextDecoder()
    .decode(bytes.subarray(0, webhookLimits.shownAnswerBytes), { stream: true })
    .replaceAll("\u0000", "\ufffd");

function reasonOf(error: unknown): string {
  if (error instanceof AddressRefused) return `the URL ${error.message}`;
  const code = error instanceof Error && "code" in error ? String(error.code) : "no reason";
  return `the connection failed (${code})`;
}
