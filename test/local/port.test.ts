import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test, vi } from "vitest";
import { portForLater, portOf } from "../../lib/local/engine/child.ts";
import { systemRandom } from "../../lib/runtime/random.ts";

/** Linux gives ports from here on to whoever asks for any; other systems begin higher. */
const systemsPorts = 32_768;

test("the port of an engine is free, and none that the system gives to others in the meantime", async () => {
  const server = createServer();
  server.listen(await portForLater(), "127.0.0.1");
  await once(server, "listening");
  const taken = portOf(server);
  expect(taken).toBeLessThan(systemsPorts);
  const below = vi.spyOn(systemRandom, "below").mockReturnValueOnce(taken - 10_000);
  const other = await portForLater();
  expect([below.mock.calls.length > 1, other === taken, other < systemsPorts]).toEqual([true, false, true]);
  server.close();
});
