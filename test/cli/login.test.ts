import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type AskInput, createAsk } from "../../cli/ask.ts";
import { CommandInput } from "../../cli/command.ts";
import { readProfile } from "../../cli/connection/profile.ts";
import { findTarget } from "../../cli/connection/target.ts";
import { dataDirectory, writeOwner } from "../../lib/local/data-directory.ts";
import { tryLock } from "../../lib/runtime/file-lock.ts";
import { answerTool, callTool } from "./support.ts";

/** Simulates `GET /v1/whoami`: this key is known, every other is not. */
const key = "the-key-that-works";
const api = createServer((request, response) => {
  const known = request.headers["x-service-api-key"] === key;
  const body = known
    ? { key: { id: "k", kind: "organization", name: "reports" } }
    : { error: { code: "UNAUTHORIZED", message: "The API key is missing or not valid." } };
  response.writeHead(known ? 200 : 401, { "content-type": "application/json" }).end(JSON.stringify(body));
});
let url = "";
let folder = "";
const file = () => join(folder, "review-api", "profile.json");

beforeAll(async () => {
  api.listen(0, "127.0.0.1");
  await once(api, "listening");
  const address = api.address();
  url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
});
afterAll(() => void api.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "review-api-login-"));
  vi.stubEnv("XDG_CONFIG_HOME", folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

describe("login", () => {
  test("login asks for the address and the key, tries them, and stores them readable for their owner only", async () => {
    const { code, stderr, stdout } = await answerTool([`${url}/`, key], "login");
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toBe(
      `The organization key "reports" works at ${url}. It is stored in ${file()}, which only you can read.`,
    );
    expect(JSON.parse(await readFile(file(), "utf8"))).toEqual({ url, key });
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, "review-api"))).mode & 0o777).toBe(0o700);
  });

  test("login does not store a key that does not work, and shows it in no message", async () => {
    const { code, stderr } = await answerTool(["wrong-key"], "login", "--url", url);
    expect([code, stderr]).toEqual([
      1,
      `${url} responded with 401 UNAUTHORIZED: The API key is missing or not valid. Nothing was stored.`,
    ]);
    expect(await readProfile()).toBeUndefined();
  });

  test("login reports a missing value, or an invalid address", async () => {
    expect((await answerTool([], "login")).stderr).toContain("The address is missing");
    expect((await answerTool([], "login", "--url", url)).stderr).toContain("The key is missing");
    expect((await answerTool(["ftp://x"], "login")).stderr).toContain(
      'an http or https address, not "ftp://x"',
    );
  });

  test("logout deletes the profile", async () => {
    await answerTool([url, key], "login");
    expect((await callTool("logout")).stderr).toBe(`Removed ${file()}.`);
    expect(await readProfile()).toBeUndefined();
    expect((await callTool("logout")).stderr).toBe("Nothing was stored.");
  });

  test("a profile that others can read, or that is damaged, is refused, and the message says what to do", async () => {
    await mkdir(join(folder, "review-api"));
    await writeFile(file(), JSON.stringify({ url, key }), { mode: 0o644 });
    await expect(readProfile()).rejects.toThrow(`chmod 600 ${file()}`);
    await rm(file());
    await writeFile(file(), '{"url":', { mode: 0o600 });
    await expect(readProfile()).rejects.toThrow("Write it again: npx --no-install review-api login");
  });
});

describe("the address of the API and the key", () => {
  const target = (values: Record<string, string> = {}) => findTarget(new CommandInput(undefined, values));
  const elsewhere = "https://other.example.com";

  /** Each source may set the address and the key; the first source that does wins. */
  test("options win over the environment, the environment over .env, and .env over login", async () => {
    await answerTool([url, key], "login");
    expect(await target()).toEqual({ url, key });

    const envFile = join(folder, "env");
    await writeFile(
      envFile,
      `# ours\nREVIEW_API_URL="https://file.example.com/"\nREVIEW_API_KEY=from-file\n`,
    );
    vi.stubEnv("REVIEW_API_ENV_FILE", envFile);
    expect(await target()).toEqual({ url: "https://file.example.com", key: "from-file" });

    vi.stubEnv("REVIEW_API_URL", "https://environment.example.com");
    expect(await target()).toEqual({ url: "https://environment.example.com", key: "from-file" });
    vi.stubEnv("REVIEW_API_KEY", "from-environment");
    expect(await target()).toEqual({ url: "https://environment.example.com", key: "from-environment" });

    expect(await target({ url: elsewhere, key: "given" })).toEqual({ url: elsewhere, key: "given" });
  });

  test("an address from .env is used with the key of .env or --key, never with that of the environment", async () => {
    const envFile = join(folder, "env");
    vi.stubEnv("REVIEW_API_ENV_FILE", envFile);
    vi.stubEnv("REVIEW_API_KEY", "from-environment");
    await writeFile(envFile, `REVIEW_API_URL=${elsewhere}\n`);
    await expect(target()).rejects.toThrow("That key is never sent to an address from .env");
    expect(await target({ key: "given" })).toEqual({ url: elsewhere, key: "given" });
    expect(await target({ url })).toEqual({ url, key: "from-environment" });
    await writeFile(envFile, `REVIEW_API_URL=${elsewhere}\nREVIEW_API_KEY=from-file\n`);
    expect(await target()).toEqual({ url: elsewhere, key: "from-file" });
  });

  test("the key that login stored is sent to no other address", async () => {
    await answerTool([url, key], "login");
    await expect(target({ url: elsewhere })).rejects.toThrow("--key is missing");
    vi.stubEnv("REVIEW_API_URL", elsewhere);
    await expect(target()).rejects.toThrow("--key is missing");
    expect(await target({ url: `${url}/` })).toEqual({ url, key });
  });

  test("a folder chooses where a key goes only on this machine, while a service runs on it", async () => {
    vi.stubEnv("REVIEW_API_KEY", "from-environment");
    const directory = dataDirectory(join(folder, "data"));
    await mkdir(directory.path);
    const announce = (address: string) =>
      writeOwner(directory, {
        process_id: 1,
        role: "service",
        engine: "dynoxide",
        endpoint: address,
        url: address,
      });
    const refused = () =>
      expect(target({ data: directory.path })).rejects.toThrow("No local service runs on");
    await announce(url);
    await refused();
    const lock = tryLock(directory.lockFile);
    expect(await target({ data: directory.path })).toEqual({ url, key: "from-environment" });
    for (const outside of [
      elsewhere,
      "http://127.0.0.1.example.com:3000",
      "http://127.0.0.1:80@example.com",
    ]) {
      await announce(outside);
      await refused();
    }
    lock?.release();
    await announce(url);
    await refused();
  });

  test("an invalid address in the environment is reported with its source", async () => {
    vi.stubEnv("REVIEW_API_URL", "api.example.com");
    await expect(target()).rejects.toThrow(
      'REVIEW_API_URL takes an http or https address, not "api.example.com"',
    );
  });

  test.each([
    ["UTF-8", (text: string) => Buffer.from(`\ufeff${text}`)],
    ["UTF-16, as PowerShell writes it", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le")],
  ])("a .env with a byte order mark is read: %s", async (_, bytesOf) => {
    const envFile = join(folder, "env");
    await writeFile(envFile, bytesOf(`REVIEW_API_URL=${elsewhere}\nREVIEW_API_KEY=from-file\n`));
    vi.stubEnv("REVIEW_API_ENV_FILE", envFile);
    expect(await target()).toEqual({ url: elsewhere, key: "from-file" });
  });

  test("a key with a line break inside, and a password in the address, are in no message", async () => {
    const broken = await callTool("whoami", "--url", url, "--key", "k3y-one\nk3y-two");
    expect(broken).toEqual({
      code: 1,
      stdout: "",
      stderr: "The key has a line break or another character that no key has. Copy it again.",
    });
    const named = await callTool("whoami", "--url", "http://ada:lovelace@localhost", "--key", "k");
    expect(named).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--url takes an address without a user name and a password/),
    });
    expect(named.stderr).not.toContain("lovelace");
  });

  test("a folder without .env, or with a folder of that name, causes no error", async () => {
    for (const name of [join(folder, "none"), folder]) {
      vi.stubEnv("REVIEW_API_ENV_FILE", name);
      await expect(target({ url: elsewhere })).rejects.toThrow("--key is missing");
    }
  });
});

describe("questions", () => {
  function keyboard(isTTY: boolean) {
    const modes: boolean[] = [];
    const setRawMode = (mode: boolean) => void modes.push(mode);
    const input: AskInput = Object.assign(new PassThrough(), { isTTY, setRawMode });
    const output = new PassThrough();
    return { input, ask: createAsk(input, output), modes, shown: () => String(output.read() ?? "") };
  }

  test("a typed secret is not shown, and the terminal is restored", async () => {
    const { input, ask, modes, shown } = keyboard(true);
    const answer = ask("Key: ", { hidden: true });
    Object(input).write("secrx");
    Object(input).write("\u007fet\r");
    expect(await answer).toBe("secret");
    expect([shown(), modes]).toEqual(["Key: \n", [true, false]]);
  });

  test("Ctrl-C ends a question and restores the terminal", async () => {
    const { input, ask, modes } = keyboard(true);
    const answer = ask("Key: ", { hidden: true });
    Object(input).write("sec\u0003");
    await expect(answer).rejects.toThrow("Stopped; nothing was changed.");
    expect(modes).toEqual([true, false]);
  });

  test("a script can pipe in the answers, one per line", async () => {
    const { input, ask, shown } = keyboard(false);
    Object(input).end("https://api.example.com\n  a-key  \n");
    expect([await ask("URL: "), await ask("Key: ", { hidden: true }), await ask("More: ")]).toEqual([
      "https://api.example.com",
      "a-key",
      "",
    ]);
    expect(shown()).toBe("");
  });
});
