import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SampleRequest, sampleRequest } from "../../../lib/reference/sample-request.ts";
import { type Sample, sampleAddress, samplesOf } from "../../../lib/reference/samples.ts";
import { required } from "../../../lib/runtime/required.ts";
import { endpoints } from "../../reference/support.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const run = promisify(execFile);
const requests = endpoints.map(sampleRequest);
const codeOf = (request: SampleRequest, wanted: Sample["language"]): string =>
  samplesOf(request).find(({ language }) => language === wanted)?.code ?? "";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "review-api-samples-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("every TypeScript sample compiles against the client", async () => {
  await mkdir(join(folder, "ts"));
  for (const request of requests)
    await writeFile(
      join(folder, "ts", `${request.operation}.mts`),
      codeOf(request, "TypeScript").replace("review-api/client", `${root}lib/client/client.ts`),
    );
  const options = {
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    module: "nodenext",
    target: "es2022",
    skipLibCheck: true,
    types: ["node"],
    typeRoots: [`${root}node_modules/@types`],
  };
  const config = { compilerOptions: options, include: ["ts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  const { stdout } = await run(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "-p", folder], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);
  expect(stdout).toBe("");
});

type Seen = {
  readonly method: string;
  readonly target: string;
  readonly key: unknown;
  readonly body: unknown;
};

type Reply = { readonly status: number; readonly headers: Record<string, string>; readonly body: string };
const lastPage: Reply = {
  status: 200,
  headers: { "content-type": "application/json" },
  body: '{"next_cursor":null}',
};

/** Records the received requests. Sends the given answers, then answers like a last page. */
async function recorder(...replies: Reply[]) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await Array.fromAsync(request)).toString();
    seen.push({
      method: request.method ?? "",
      target: request.url ?? "",
      key: request.headers["x-service-api-key"],
      body: text === "" ? undefined : JSON.parse(text),
    });
    const { status, headers, body } = replies.shift() ?? lastPage;
    response.writeHead(status, headers).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return { seen, url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

const expected = requests.map(({ method, path, query, body }) => {
  const text = new URLSearchParams(query).toString();
  return { method: method.toUpperCase(), path, query: text, key: "a key", body };
});
/** A question mark without a query means the same. */
const asked = (seen: readonly Seen[]) =>
  seen.map(({ target, ...rest }) => {
    const { pathname, searchParams } = new URL(target, "http://service");
    return { ...rest, path: pathname, query: searchParams.toString() };
  });

describe("samples send the request that the page describes", () => {
  const env = { ...process.env, REVIEW_API_KEY: "a key" };

  test("the curl samples send the request that the page describes", async () => {
    const { seen, url, close } = await recorder();
    const script = requests
      .map((request) => codeOf(request, "curl").replaceAll(sampleAddress, url))
      .join("\n");
    await run("bash", ["-c", script.replaceAll(/^curl /gm, "curl --silent --fail ")], { env });
    close();
    expect(asked(seen)).toEqual(expected);
  });

  const hasPython = spawnSync("python3", ["--version"]).status === 0;
  test.skipIf(!hasPython)("the Python samples send the request that the page describes", async () => {
    const { seen, url, close } = await recorder();
    const script = requests.map((request) => codeOf(request, "Python").replaceAll(sampleAddress, url));
    await run("python3", ["-c", script.join("\n")], { env });
    close();
    expect(asked(seen)).toEqual(expected);
  });

  const [walk, call] = [true, false].map((isPaged) =>
    required(
      requests.find((each) => each.isPaged === isPaged && !each.isEmpty),
      "sample",
    ),
  );
  const [empty] = requests.filter(({ isEmpty }) => isEmpty);
  test.skipIf(!hasPython).each([walk, call, empty])(
    "a Python sample waits when asked, says why it failed, and never sends the key elsewhere: %o",
    async (request) => {
      const program = codeOf(required(request, "sample"), "Python");
      const runAt = async (url: string) =>
        await run("python3", ["-c", program.replaceAll(sampleAddress, url)], { env }).then(
          () => "",
          ({ stderr }: { stderr: string }) => stderr,
        );
      const error = (status: number, code: string, headers = {}): Reply => {
        return { status, headers, body: JSON.stringify({ error: { code, message: "Told." } }) };
      };
      const wait = { "retry-after": "1" };
      const busy = await recorder(
        error(429, "RATE_LIMIT_EXCEEDED", wait),
        error(503, "SERVICE_UNAVAILABLE", wait),
      );
      expect([await runAt(busy.url), busy.seen.length]).toEqual(["", 3]);
      const refusing = await recorder(error(403, "NOT_ADMIN"));
      expect(await runAt(refusing.url)).toBe('403 {"error":{"code":"NOT_ADMIN","message":"Told."}}\n');
      expect(refusing.seen).toHaveLength(1);
      const elsewhere = await recorder();
      const moved = await recorder({ status: 302, headers: { location: elsewhere.url }, body: "" });
      expect([await runAt(moved.url), elsewhere.seen]).toEqual(["302 \n", []]);
      for (const { close } of [busy, refusing, elsewhere, moved]) close();
    },
  );
});

test("a value that the shell, JSON and Python read differently arrives unchanged", async () => {
  const body = { text: 'it\'s "true" \\ null $HOME `x`', flags: [true, false, null, 1.5] };
  const request: SampleRequest = {
    operation: "createRole",
    method: "post",
    path: "/v1/roles",
    pathParameters: {},
    query: {},
    body,
    isPaged: false,
    isEmpty: false,
  };
  const { seen, url, close } = await recorder();
  const env = { ...process.env, REVIEW_API_KEY: "a key" };
  await run("bash", ["-c", codeOf(request, "curl").replaceAll(sampleAddress, url)], { env });
  if (spawnSync("python3", ["--version"]).status === 0)
    await run("python3", ["-c", codeOf(request, "Python").replaceAll(sampleAddress, url)], { env });
  close();
  for (const each of seen) expect(each.body).toEqual(body);
  expect(seen.length).toBeGreaterThan(0);
});
