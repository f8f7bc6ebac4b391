import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { main } from "../../cli/main.ts";
import { noPaint } from "../../cli/terminal.ts";

test("keys rotate prints the command that repeats it before it sends the same idempotency key", async () => {
  const order: Array<{ readonly sent?: string; readonly said?: string }> = [];
  const server = createServer(async (request, response) => {
    order.push({ sent: Reflect.get(Object(await json(request)), "idempotency_key") });
    response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  const words = [
    "keys",
    "rotate",
    "kaaaaaaaaaaaaaaaa",
    "--grace-seconds",
    "60",
    "--url",
    url,
    "--key",
    "a-key",
  ];
  const unused = () => Promise.reject(new Error("The test did not expect this."));
  const code = await main(words, {
    say: (text) => void order.push({ said: / --idempotency-key (\S+) /.exec(text)?.[1] ?? "" }),
    out: unused,
    tryOut: () => undefined,
    outOnce: unused,
    write: unused,
    watched: false,
    paint: noPaint,
    paintSaid: noPaint,
    ask: unused,
  });
  const [{ said = "" } = {}, ...others] = order;
  expect(said).toMatch(/^[\da-f-]{36}$/);
  // Then the sentence that the rotation failed.
  expect([code, others]).toEqual([1, [{ sent: said }, { said: "" }]]);
});
