import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { invoker } from "../../lib/operator/stack-functions.ts";

let server: Server;
let url = "";
const asked: unknown[] = [];
const found = { id: "0a1b", learning: "Return early.", file: null, source_url: null, score: 0.9 };

beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push([request.url, JSON.parse(body)]);
      const isBroken = request.url?.includes("/broken/");
      if (isBroken) response.setHeader("x-amz-function-error", "Unhandled");
      const refusal = { error: { code: "INVALID_REQUEST", message: "k: Too big" } };
      const answer = request.url?.includes("/refusing/") ? refusal : { learnings: [found] };
      response.end(JSON.stringify(isBroken ? { errorMessage: "no" } : answer));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  for (const [name, value] of Object.entries({
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL_LAMBDA: url,
  }))
    vi.stubEnv(name, value);
});
afterEach(() => void vi.unstubAllEnvs());

test("the deployed search function is called in the same way as by the reviewer", async () => {
  const search = invoker("search", "eu-north-1");
  expect(await search({ text: "return", k: 1 })).toEqual({ learnings: [found] });
  expect(asked).toEqual([["/2015-03-31/functions/search/invocations", { text: "return", k: 1 }]]);
});

test("an error of the search function names the function and where to find the reason", async () => {
  await expect(invoker("broken", "eu-north-1")({})).rejects.toThrow(
    "The function broken failed. Its log says why",
  );
});

test("a refusal of the search function is shown in its own words", async () => {
  await expect(invoker("refusing", "eu-north-1")({ k: 51 })).rejects.toThrow(
    "The function refusing refused: INVALID_REQUEST: k: Too big.",
  );
});
