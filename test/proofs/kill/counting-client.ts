import { errorCodes } from "../../../lib/contract/errors.ts";
import { operations } from "../../../lib/contract/operations.ts";
import { binaryMediaTypes, fallbackSource } from "../../../lib/contract/platform.ts";
import { loadFunction, prepareFunctions } from "../../../lib/local/functions.ts";
import { type Gateway, startGateway } from "../../../lib/local/gateway.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";

export type ClientAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string;
  readonly json: unknown;
};

/** The handlers behind the local gateway, called over HTTP; counts their answers. */
export class CountingClient {
  readonly counts = new Map<string, number>();
  /** Answers that are not documented, even while the engine is away. */
  readonly undocumented: string[] = [];
  slowestMs = 0;
  readonly #gateway: Gateway;

  private constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  static async open(endpoint: string): Promise<CountingClient> {
    process.env.LOG_LEVEL = "silent";
    prepareFunctions(endpoint);
    const gateway = await startGateway(
      {
        operations,
        fallbackSource,
        load: loadFunction,
        stage: "local",
        binaryMediaTypes,
        clock: systemClock,
        random: systemRandom,
      },
      0,
    );
    return new CountingClient(gateway);
  }

  close(): Promise<void> {
    return this.#gateway.close();
  }

  async ask(key: string, method: string, target: string, body?: object): Promise<ClientAnswer> {
    const startedMs = performance.now();
    const answer = await fetch(`${this.#gateway.url}${target}`, {
      method,
      headers: { "x-service-api-key": key, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    this.slowestMs = Math.max(this.slowestMs, performance.now() - startedMs);
    const said = {
      status: answer.status,
      headers: answer.headers,
      requestId: answer.headers.get("x-request-id") ?? "",
      json: text ? JSON.parse(text) : undefined,
    };
    const kind = `${method} ${target.split(/[?]|\/[0-9a-f-]{36}/)[0]} ${said.status}`;
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    if (!isDocumented(said, text)) this.undocumented.push(`${kind}: ${text.slice(0, 200)}`);
    return said;
  }

  countOf(status: number): number {
    return [...this.counts].reduce(
      (sum, [kind, count]) => sum + (kind.endsWith(` ${status}`) ? count : 0),
      0,
    );
  }
}

const temporary = Object.entries(errorCodes).filter(([, { status }]) => status === 503);

/** Allowed: an answer, a full window, or a 503 with one of its codes and Retry-After. */
function isDocumented({ status, headers }: ClientAnswer, text: string): boolean {
  if (status === 200 || status === 204) return true;
  if (!/^[1-9]\d*$/.test(headers.get("retry-after") ?? "")) return false;
  return status === 429 || (status === 503 && temporary.some(([code]) => text.includes(`"${code}"`)));
}
