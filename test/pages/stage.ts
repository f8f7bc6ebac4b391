import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, request as sendRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildClient } from "../../package/build-client.ts";

/**
 * API Gateway's own address has the stage's name before every path, and functions do not see it. Also serves the
 * client.
 */
export async function startStage(prefix: string, target: string) {
  const client = await mkdtemp(join(tmpdir(), "review-api-client-"));
  await buildClient(client);
  const server = createServer(async (incoming, response) => {
    if (!incoming.url?.startsWith(`${prefix}/`)) {
      response.writeHead(403).end();
      return;
    }
    const [, module] = /\/client\/([a-z.-]+\.js)$/.exec(incoming.url) ?? [];
    if (module) {
      const script = await readFile(join(client, module));
      response.writeHead(200, { "content-type": "text/javascript" }).end(script);
      return;
    }
    const options = { method: incoming.method, headers: incoming.headers };
    const onward = sendRequest(`${target}${incoming.url.slice(prefix.length)}`, options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await rm(client, { recursive: true });
    },
  };
}
