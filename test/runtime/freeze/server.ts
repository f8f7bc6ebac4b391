import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { Socket } from "node:net";
import { selfSignedCertificate } from "../../support/certificate.ts";

/** What becomes of a connection while the function at its other end is frozen. */
export type Fate =
  /** The server closes it. */
  | "closes"
  /** The server knows it no more, and says so when it hears from it. */
  | "resets"
  /** Something on the way loses every packet of it. */
  | "drops";

/** A table of DynamoDB's in which nothing is, and whose connections (TLS, as AWS's) do not outlast a freeze. */
export class ForgetfulServer {
  endpoint = "";
  readonly #certificate = selfSignedCertificate();
  /** What is below TLS, by the caller's port. */
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

  /** Whom its callers have to trust. */
  get certificate(): string {
    return this.#certificate.cert;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** All connections that there are now. */
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
    // Others share the connection's time: as many at once as are asked need a connection each.
    await new Promise((resolve) => setTimeout(resolve, 20));
    response.end("{}");
  }
}
