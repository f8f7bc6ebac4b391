import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { Socket } from "node:net";
import { selfSignedCertificate } from "../../support/certificate.ts";

/** What happens to a connection while the function at its other end is frozen. */
export type Fate =
  /** The server closes it. */
  | "closes"
  /** The server no longer knows the connection, and answers a packet on it with a reset. */
  | "resets"
  /** Every packet of the connection is lost on the way. */
  | "drops";

/** An empty DynamoDB table whose connections (TLS, like AWS's) do not outlive a freeze. */
export class ForgetfulServer {
  endpoint = "";
  readonly #certificate = selfSignedCertificate();
  /** The sockets below TLS, by the caller's port. */
  readonly #sockets = new Map<number | undefined, Socket>();
  readonly #fates = new Map<number | undefined, Fate>();
  readonly #server = createServer(
    this.#certificate,
    (incoming, response) => void this.#answer(incoming, response),
  );

  async open(): Promise<void> {
    this.#server.on("connection", (socket) => {
      if (!(socket instanceof Socket)) return;
      const { remotePort } = socket;
      this.#sockets.set(remotePort, socket);
      this.#fates.delete(remotePort);
      socket.once("close", () => this.#sockets.delete(remotePort));
    });
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    this.endpoint = `https://127.0.0.1:${address && typeof address === "object" ? address.port : 0}`;
  }

  /** The certificate that callers have to trust. */
  get certificate(): string {
    return this.#certificate.cert;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Affects all connections that are open now. */
  lose(fate: Fate): void {
    for (const [port, socket] of this.#sockets) {
      if (fate === "closes") socket.end();
      this.#fates.set(port, fate);
    }
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    await Array.fromAsync(incoming);
    const { remotePort } = incoming.socket;
    const fate = this.#fates.get(remotePort);
    if (fate === "resets") this.#sockets.get(remotePort)?.resetAndDestroy();
    if (fate !== undefined) return;
    // A slow answer keeps the connection busy, so that simultaneous requests need one connection each.
    await new Promise((resolve) => setTimeout(resolve, 20));
    response.end("{}");
  }
}
