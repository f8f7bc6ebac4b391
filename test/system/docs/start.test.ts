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
import { systemClock } from "../../../lib/runtime/clock.ts";
import { read } from "../../docs/pages.ts";
import { PythonToolMissing, pythonTool } from "../../support/python-environment.ts";
import { useService } from "../../support/service.ts";

const service = useService({ demo: true });
const page = read("docs/use/start.md");

/** With httpx and mypy, where PyPI can be reached. */
const bin = await pythonTool("httpx").catch((error: unknown) => {
  if (!(error instanceof PythonToolMissing)) throw error;
  console.warn(`Not run: the first page's program with httpx. ${error.message}.`);
  return undefined;
});
const pythonWithHttpx = join(bin ?? "", "python");

/** A language, a file, and what runs it. */
const loops = [
  ["ts", "loop.mts", process.execPath] as const,
  ...(bin ? [["python", "typed.py", pythonWithHttpx] as const] : []),
];
const loopIn = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(page)?.[1] ?? expect.fail(`No ${language}.`);

test.each(loops)(
  "the loop of the first page in %s, %s, reads all pages of the metrics",
  async (language, file, interpreter) => {
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
  "the loop in %s, %s, sends the key to no address that a redirect names",
  async (language, file, interpreter) => {
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

test.skipIf(!bin)(
  "the program with httpx waits as long as it is told, and survives a broken connection",
  async () => {
    const times: number[] = [];
    const server = createServer((request, response) => {
      times.push(systemClock.nowMs());
      if (times.length === 1) response.writeHead(429, { "retry-after": "2" }).end();
      else if (times.length === 2) response.writeHead(503, { "retry-after": "1" }).end();
      else if (times.length === 3) response.writeHead(500, { "retry-after": "0" }).end();
      else if (times.length === 4) request.socket.destroy();
      else response.end('{"data":[{},{}],"next_cursor":null}');
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = z.object({ port: z.number() }).parse(server.address());
    const program = loopIn("python").replace("https://api.example.com", `http://127.0.0.1:${port}`);
    const env = { ...process.env, REVIEW_API_KEY: "fake" };
    const { stdout } = await promisify(execFile)(pythonWithHttpx, ["-c", program], { env });
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("2");
    const [first = 0, second = 0, third = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(2_000);
    expect(third - second).toBeGreaterThanOrEqual(1_000);
    expect(times).toHaveLength(5);
  },
);

test.skipIf(!bin)("the program with httpx gives up at once after its last attempt", async () => {
  const server = createServer((_, response) => response.writeHead(429, { "retry-after": "600" }).end());
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const program = loopIn("python")
    .replace("https://api.example.com", `http://127.0.0.1:${port}`)
    .replace("attempts: int = 8", "attempts: int = 1");
  const options = { env: { ...process.env, REVIEW_API_KEY: "fake" }, timeout: 20_000 };
  await expect(promisify(execFile)(pythonWithHttpx, ["-c", program], options)).rejects.toMatchObject({
    stderr: expect.stringContaining("TimeoutError: No answer in 1 attempts."),
  });
});

test.skipIf(!bin)("the types of the program with httpx are strict", async () => {
  const folder = await mkdtemp(join(tmpdir(), "review-api-start-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "typed.py"), loopIn("python"));
  const words = ["-m", "mypy", "--strict", "typed.py"];
  const { stdout } = await promisify(execFile)(pythonWithHttpx, words, { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toMatch(/^Success: no issues found/);
});

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
