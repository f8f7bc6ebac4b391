import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { handler as searchForReview } from "../../functions/internal/search-for-review.ts";
import { useFallbackEmbedder } from "../../lib/index/configured-embedder.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import { useStore } from "../support/engine.ts";
import { withGrants } from "../support/granted-table.ts";

const handler = withGrants("searchForReview", searchForReview);

const store = useStore();
const lines: Array<Readonly<Record<string, unknown>>> = [];

beforeAll(() => useFallbackEmbedder(localEmbedder));
beforeEach(() => {
  for (const [name, value] of Object.entries({
    TABLE_NAME: store().tableName,
    DYNAMODB_ENDPOINT: store().endpoint,
    AWS_REGION: "eu-test-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    METRICS_NAMESPACE: "Search",
    LOG_LEVEL: "info",
  }))
    vi.stubEnv(name, value);
  lines.length = 0;
  vi.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const request = {
  provider: "github",
  provider_organization_id: "1001",
  repository_id: "9002",
  text: " ",
  k: 5,
};
const metricsOf = (line: object | undefined) => JSON.stringify(line).match(/"Name":"\w+"/g);

test.each([
  [{ k: 51 }, /^k: /],
  [{ planted: "a secret" }, "request: has a field that no search takes"],
  [{ text: undefined }, /^text: /],
])(
  "a search that is not valid (%o) is answered with what is wrong, and does not fail the function",
  async (wrong, problem) => {
    const answer = await handler({ ...request, ...wrong });
    const message = expect.stringMatching(problem);
    expect(answer).toEqual({ error: { code: "INVALID_REQUEST", message } });
    expect(lines).toEqual([
      expect.objectContaining({
        level: "warn",
        message: "search refused",
        problems: message,
        refused_searches: 1,
      }),
    ]);
    expect(metricsOf(lines[0])).toEqual(['"Name":"refused_searches"']);
    expect(JSON.stringify([answer, lines])).not.toContain("a secret");
  },
);

test("a valid search is not counted as refused", async () => {
  expect(await handler(request)).toEqual({ learnings: [] });
  expect(metricsOf(lines[0])).toEqual(['"Name":"vector_searches"']);
});

test("a search that the model does not serve still fails the function, so that the alarm rings", async () => {
  useFallbackEmbedder({ ...localEmbedder, embed: () => Promise.reject(new Error("The model is away.")) });
  await expect(handler({ ...request, text: "retry" })).rejects.toThrow("searchForReview failed");
});
