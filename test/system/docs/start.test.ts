import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { createClient } from "../../../lib/client/client.ts";
import { read } from "../../docs/pages.ts";
import { useService } from "../../support/service.ts";

const service = useService({ demo: true });
const page = read("docs/use/start.md");

const loops = [
  ["ts", process.execPath, "loop.mts"],
  ["python", "python3", "loop.py"],
] as const;
const loopIn = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(page)?.[1] ?? expect.fail(`No ${language}.`);

test.each(loops)(
  "the loop of the first page in %s reads all pages of the metrics",
  async (language, interpreter, file) => {
    const { url, keys } = service();
    const key = keys.workspace ?? "";
    const query = { start_date: "2026-01-01", end_date: "2026-12-31" };
    let expected = 0;
    for await (const { body } of createClient({ baseUrl: url, key }).pages("listReviewMetrics", { query }))
      expected += body.data.length;
    expect(expected).toBeGreaterThan(10);
    const folder = await mkdtemp(join(tmpdir(), "review-api-start-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    // Small pages, so that there are several.
    const program = loopIn(language)
      .replaceAll("https://api.example.com", url)
      .replace("end_date=2026-12-31", "end_date=2026-12-31&limit=5")
      .replace('"end_date": "2026-12-31"', '"end_date": "2026-12-31", "limit": 5');
    expect(program).toContain(url);
    await writeFile(join(folder, file), program);
    const { stdout } = await promisify(execFile)(interpreter, [file], {
      cwd: folder,
      env: { ...process.env, REVIEW_API_KEY: key },
    });
    expect(Number(stdout)).toBe(expected);
  },
);

test.each(loops)(
  "the loop in %s sends the key to no address that a redirect names",
  async (language, interpreter, file) => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push(request.url?.startsWith("/elsewhere"));
      response.writeHead(302, { location: "/elsewhere" }).end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = z.object({ port: z.number() }).parse(server.address());
    const folder = await mkdtemp(join(tmpdir(), "review-api-start-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(
      join(folder, file),
      loopIn(language).replaceAll("https://api.example.com", `http://127.0.0.1:${port}`),
    );
    const env = { ...process.env, REVIEW_API_KEY: "fake" };
    await expect(promisify(execFile)(interpreter, [file], { cwd: folder, env })).rejects.toMatchObject({
      code: 1,
    });
    expect(seen).toEqual([false]);
  },
);

test("the response on the first page has fields of the real one", async () => {
  const shown = z
    .object({ data: z.array(z.record(z.string(), z.unknown())), next_cursor: z.string() })
    .parse(JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? ""));
  const api = createClient({ baseUrl: service().url, key: service().keys.workspace ?? "" });
  const { body } = await api.listReviewMetrics({
    query: { start_date: "2026-01-01", end_date: "2026-12-31", limit: 1 },
  });
  expect(Object.keys(body.data[0] ?? {})).toEqual(expect.arrayContaining(Object.keys(shown.data[0] ?? {})));
});
