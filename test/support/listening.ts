import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";

/** A server on a free port of this machine. */
export async function listening(answer: RequestListener) {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}
