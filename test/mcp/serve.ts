import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished, vi } from "vitest";
import * as z from "zod";
import { type KeyKind, permissions } from "../../lib/contract/access.ts";
import { mcpRoute } from "../../lib/contract/mcp.ts";
import { environmentVariables, functionSettings } from "../../lib/contract/platform.ts";
import { type McpDeps, serveMcp } from "../../lib/mcp/serve.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { seededRandom } from "../support/clock.ts";
import { gatewayEvent } from "../support/gateway-event.ts";

/** The address in the function's environment. */
export const apiUrl = "https://abc123.execute-api.example.com/live";

export function useApiAddress(): void {
  vi.stubEnv(environmentVariables.apiUrl, apiUrl);
  vi.stubEnv("LOG_LEVEL", "silent");
}

export type ScriptedApi = (path: string, init: RequestInit, url: URL) => Response | Promise<Response>;

export const json = (body: unknown, init?: ResponseInit): Response =>
  new Response(JSON.stringify(body), {
    ...init,
    headers: { "content-type": "application/json", ...init?.headers },
  });

/** What whoami answers to an admin. */
export const admin = (kind: KeyKind = "organization", organizations: readonly object[] = []) => ({
  key: { kind, only: null },
  role: "cr_admin",
  permissions,
  scope: { home: null, organizations },
});

/** An API that answers whoami, and everything else with the script. */
export const apiOf =
  (script: ScriptedApi, whoami: object = admin()): typeof fetch =>
  async (input, init = {}) => {
    const url = new URL(String(input));
    const path = url.pathname.replace(/^\/live/, "");
    return path === "/v1/whoami" ? json(whoami) : await script(path, init, url);
  };

/** A call that ends only with its signal, as fetch does. */
export const never: ScriptedApi = (_path, { signal }) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));

export type Options = Partial<McpDeps> & {
  readonly headers?: Readonly<Record<string, string>>;
  /** What Lambda has left for the call. */
  readonly remainingMs?: number;
  /** The id of the API, as the gateway names it. */
  readonly apiId?: string;
};

const usual = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "x-service-api-key": "rk_organization_test",
};

export async function post(body: unknown, { headers = usual, remainingMs, apiId, ...deps }: Options = {}) {
  const event = gatewayEvent({
    method: mcpRoute.method,
    target: mcpRoute.path,
    rawHeaders: Object.entries(headers).flat(),
    ...(Buffer.isBuffer(body) && { binaryMediaTypes: ["*/*"] }),
    body: Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  });
  if (apiId !== undefined) event.requestContext.apiId = apiId;
  const answer = await serveMcp(
    event,
    { getRemainingTimeInMillis: () => remainingMs ?? functionSettings.mcp.timeoutSeconds * 1000 },
    {
      clock: systemClock,
      random: seededRandom(1),
      fetch: apiOf(() => new Response(null, { status: 500 })),
      ...deps,
    },
  );
  return { status: answer.statusCode, headers: answer.headers ?? {}, text: answer.body };
}

export const withKey = (headers: Readonly<Record<string, string>>) => ({ ...usual, ...headers });

const texts = z.array(z.object({ text: z.string() }));

/** What a model reads: the sentence, and the content that follows it as JSON. */
export function readingOf(result: { content: unknown }): { sentence: string; content: unknown } {
  const [sentence, content] = texts.parse(result.content).map(({ text }) => text);
  return { sentence: sentence ?? "", content: content === undefined ? undefined : JSON.parse(content) };
}

/** The protocol's own client, in front of the function. */
export async function connect(options: Options, mode: "legacy" | "auto" = "auto"): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(`${apiUrl}/mcp`), {
    requestInit: { headers: { "x-service-api-key": usual["x-service-api-key"], ...options.headers } },
    fetch: async (_url, init) => {
      if (init?.method !== "POST") return new Response(null, { status: 405 });
      const headers = Object.fromEntries(new Headers(init.headers));
      const { status, text, headers: answered } = await post(String(init.body), { ...options, headers });
      const type = String(answered["content-type"] ?? "application/json");
      return new Response(text === "" ? null : text, { status, headers: { "content-type": type } });
    },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}
