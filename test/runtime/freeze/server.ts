import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** What becomes of a connection while the function at its other end is frozen. */
export type Fate =
  /** The server closes it. */
  | "closes"
  /** The server knows it no more, and says so when it hears from it. */
  | "resets"
  /** Something on the way loses every packet of it. */
  | "drops";

/** A table of DynamoDB's in which nothing is, and whose connections do not outlast a freeze. */
export class ForgetfulServer {
  endpoint = "";
  readonly #sockets = new Set<Socket>();
  readonly #fates = new WeakMap<Socket, Fate>();
  readonly #server = createServer((incoming, response) => void this.#answer(incoming, response));

  async open(): Promise<void> {
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    this.endpoint = `http://127.0.0.1:${address && typeof address === "object" ? address.port : 0}`;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** All connections that there are now. */
  lose(fate: Fate): void {
    for (const socket of this.#sockets) {
      if (fate === "closes") socket.end();
      this.#fates.set(socket, fate);
    }
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    await Array.fromAsync(incoming);
    const fate = this.#fates.get(incoming.socket);
    if (fate === "resets") incoming.socket.resetAndDestroy();
    if (fate !== undefined) return;
    // Others share the connection's time: as many at once as are asked need a connection each.
    await new Promise((resolve) => setTimeout(resolve, 20));
    response.end("{}");
  }
}
