import { Agent, type AgentOptions, type ClientRequest } from "node:http";
import { Agent as SecureAgent } from "node:https";
import type { Duplex } from "node:stream";
import { awsLimits } from "../contract/limits.ts";
import type { Clock } from "./clock.ts";
import { required } from "./required.ts";

/**
 * Lambda freezes a function between requests, and pooled connections break unnoticed: the other side closes them,
 * or a gateway in between drops them. So an idle connection is not trusted:
 *
 * - one that was idle for long is closed before the next request;
 * - when a request on a reused connection ends without an answer, all idle connections are closed, so that the retry
 *   opens a new one;
 * - the answer on a connection that was idle for a while has less time, because a lost packet has no other sign.
 */
export class AwsConnections {
  readonly plain: Agent;
  readonly secure: SecureAgent;
  readonly #clock: Clock;
  readonly #reusedAnswerMsMax: number;
  readonly #idleSinceMs = new WeakMap<object, number>();

  constructor(clock: Clock, reusedAnswerMsMax: number = awsLimits.reusedAnswerMsMax) {
    this.#clock = clock;
    this.#reusedAnswerMsMax = reusedAnswerMsMax;
    const options: AgentOptions = {
      keepAlive: true,
      maxSockets: awsLimits.connectionsMax,
      maxFreeSockets: awsLimits.idleConnectionsMax,
    };
    this.plain = this.#watched(new Agent(options));
    this.secure = this.#watched(new SecureAgent(options));
  }

  /** Call this before every request. */
  closeStale(): void {
    const oldestMs = this.#clock.nowMs() - awsLimits.idleConnectionMsMax;
    this.#closeIdle((sinceMs) => sinceMs < oldestMs);
  }

  destroy(): void {
    this.plain.destroy();
    this.secure.destroy();
  }

  #watched<Some extends Agent>(agent: Some): Some {
    const keep = agent.keepSocketAlive.bind(agent);
    agent.keepSocketAlive = (socket) => {
      this.#idleSinceMs.set(socket, this.#clock.nowMs());
      return keep(socket);
    };
    const reuse = agent.reuseSocket.bind(agent);
    agent.reuseSocket = (socket, request) => {
      reuse(socket, request);
      this.#suspect(socket, request);
    };
    return agent;
  }

  #suspect(socket: Duplex, request: ClientRequest): void {
    const onError = () => this.#closeIdle(() => true);
    request.once("error", onError);
    request.once("response", () => request.off("error", onError));
    const idleMs = this.#clock.nowMs() - this.#idleSince(socket);
    if (idleMs < awsLimits.trustedIdleMs) return;
    const msMax = this.#reusedAnswerMsMax;
    const overdue = setTimeout(
      () => request.destroy(new Error(`No answer on a reused connection within ${msMax} ms.`)),
      msMax,
    );
    const clear = () => clearTimeout(overdue);
    request.once("response", clear);
    request.once("close", clear);
  }

  #closeIdle(isClosed: (idleSinceMs: number) => boolean): void {
    for (const agent of [this.plain, this.secure])
      for (const sockets of Object.values(agent.freeSockets))
        for (const socket of required(sockets, "idle connections of a host"))
          if (isClosed(this.#idleSince(socket))) socket.destroy();
  }

  /** An agent keeps every connection alive before it is idle or used again. */
  #idleSince(socket: Duplex): number {
    return required(this.#idleSinceMs.get(socket), "time since which a connection is idle");
  }
}
