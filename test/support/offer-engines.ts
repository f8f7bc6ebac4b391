import { once } from "node:events";
import { createServer } from "node:http";

export const enginesVariable = "TEST_ENGINES";

/**
 * Before the first test: an address where test files ask for the engines that they share (`shared-engine.ts`). Nothing
 * is loaded or started before the first of them asks: a run without a table does not wait for an engine.
 */
export default async function offerEngines(): Promise<(() => Promise<void>) | undefined> {
  // Another project of this run offers them.
  if (process.env[enginesVariable]) return undefined;
  let loading: Promise<typeof import("./shared-engine.ts")> | undefined;
  const server = createServer(async ({ url }, response) => {
    try {
      loading ??= import("./shared-engine.ts");
      response.end(JSON.stringify(await (await loading).answerEngine(url)));
    } catch (error) {
      response.writeHead(500).end(JSON.stringify(String(error)));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("The server has no port.");
  process.env[enginesVariable] = `http://127.0.0.1:${address.port}`;
  return async () => {
    server.closeAllConnections();
    server.close();
    delete process.env[enginesVariable];
    await (await loading)?.stopEngines();
  };
}
