import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, test } from "vitest";
import { webhookLimits } from "../../lib/contract/limits.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import type { Network } from "../../lib/webhooks/addresses.ts";
import { isDelivered, send } from "../../lib/webhooks/send.ts";
import { secretText, signRing } from "../../lib/webhooks/sign.ts";
import { selfSignedCertificate } from "../support/certificate.ts";
import { forbidden, urlOf } from "./forbidden.ts";

const secret = secretText(new Uint8Array(32).fill(7));
const other = secretText(new Uint8Array(32).fill(8));
const ring = { id: "ring_1", type: "learnings", data: { organization_id: "1001" } } as const;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listening(server: Server, host = "127.0.0.1"): Promise<number> {
  servers.push(server);
  server.listen(0, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const local: Network = { resolve: async () => ["127.0.0.1"], allowsLoopback: true, attemptMsMax: 5_000 };
const message = () => signRing(ring, [secret], systemClock.nowMs());
const post = (url: string, network: Network = local) => send({ clock: systemClock, network }, url, message());
const serve = async (listener: RequestListener) =>
  `http://127.0.0.1:${await listening(createServer(listener))}/`;

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

describe("an attempt", () => {
  test("delivers what the package standardwebhooks accepts", async () => {
    let verified: unknown;
    let agent: string | undefined;
    const url = await serve(async (request, response) => {
      const body = await textOf(request);
      verified = new Webhook(secret).verify(body, request.headers as Record<string, string>);
      agent = request.headers["user-agent"];
      response.writeHead(204).end();
    });
    const attempt = await post(url);
    expect([attempt.status, isDelivered(attempt), agent]).toEqual([204, true, "review-api-webhooks/1"]);
    expect(verified).toMatchObject({
      type: "learnings",
      timestamp: expect.stringMatching(/Z$/),
      data: { organization_id: "1001", resume: { operation: "listLearnings" } },
    });
  });

  test("is signed by every valid secret, and by no other", () => {
    const nowMs = systemClock.nowMs();
    const { body, headers } = signRing(ring, [secret, other], nowMs);
    for (const each of [secret, other]) expect(new Webhook(each).verify(body, headers)).toBeTruthy();
    const stranger = secretText(new Uint8Array(32).fill(9));
    expect(() => new Webhook(stranger).verify(body, headers)).toThrow();
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
  });

  test("follows no redirect", async () => {
    let wasThere = false;
    const target = await serve((_, response) => {
      wasThere = true;
      response.end();
    });
    const url = await serve((_, response) => response.writeHead(302, { location: target }).end());
    const attempt = await post(url);
    expect([attempt.status, isDelivered(attempt), wasThere]).toEqual([302, false, false]);
    expect(attempt.answer).toBe(`redirect, not followed: ${target}`);
  });

  test("ends at once with an answer of 101, and is no success", async () => {
    const server = createServer();
    server.on("connection", (socket) =>
      socket.on("data", () =>
        socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
      ),
    );
    const port = await listening(server);
    const attempt = await post(`http://127.0.0.1:${port}/`, { ...local, attemptMsMax: 60_000 });
    expect([attempt.status, isDelivered(attempt)]).toEqual([101, false]);
  });

  test("is a success with a 2xx whose body breaks", async () => {
    const raw = async (answer: string) => {
      const server = createTcpServer((socket) => socket.once("data", () => socket.end(answer)));
      return `http://127.0.0.1:${await listening(server)}/`;
    };
    const head = "HTTP/1.1 200 OK\r\n";
    for (const broken of [
      `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\nnot a chunk`,
      `${head}Content-Length: 100\r\n\r\nhalf`,
    ])
      expect(await post(await raw(broken))).toMatchObject({ status: 200 });
  });

  test("goes to the next address of a name if one does not answer", async () => {
    const port = await listening(createServer((_, response) => response.writeHead(204).end()));
    // Nobody listens at 127.0.0.9.
    const names = { ...local, resolve: async () => ["127.0.0.9", "127.0.0.1"] };
    expect(await post(`http://hooks.test:${port}/`, names)).toMatchObject({ status: 204 });
    const nowhere = { ...local, resolve: async () => ["127.0.0.8", "127.0.0.9"] };
    expect(await post(`http://hooks.test:${port}/`, nowhere)).toMatchObject({
      status: null,
      answer: "the connection failed (ECONNREFUSED)",
    });
  });

  test("keeps the first 500 bytes of an answer, and does not read an endless one", async () => {
    let sent = 0;
    const url = await serve((_, response) => {
      const more = () => {
        sent += 16_384;
        if (!response.destroyed && sent < 64_000_000) response.write("ü".repeat(8_192), more);
      };
      response.writeHead(200);
      more();
    });
    const attempt = await post(url);
    expect(attempt).toMatchObject({ status: 200, answer: "ü".repeat(webhookLimits.shownAnswerBytes / 2) });
    expect(sent).toBeLessThan(64_000_000);
  });

  test("that gets no complete answer in time is a failure", async () => {
    const silent = await serve(() => {});
    const halfway = await serve((_, response) => response.writeHead(200).write("and"));
    for (const url of [silent, halfway])
      expect(await post(url, { ...local, attemptMsMax: 100 })).toMatchObject({
        status: null,
        answer: "no complete response in time",
      });
    const slowNames = { ...local, resolve: () => new Promise<never>(() => {}), attemptMsMax: 100 };
    expect(await post("https://hooks.test/", slowNames)).toMatchObject({
      answer: "no complete response in time",
    });
  });

  test("says why there was no answer", async () => {
    expect(await post("http://127.0.0.1:9/")).toMatchObject({
      status: null,
      answer: "the connection failed (ECONNREFUSED)",
    });
    expect(await post("http://hooks.test/", { ...local, resolve: async () => ["10.0.0.1"] })).toMatchObject({
      status: null,
      answer: "the URL must begin with https://",
    });
  });

  test("goes to the address that was checked, although the name has another one a moment later", async () => {
    let connections = 0;
    const port = await listening(createServer((_, response) => response.writeHead(204).end()));
    const trap = createServer((_, response) => {
      connections++;
      response.end();
    });
    servers.push(trap);
    trap.listen(port, "127.0.0.2");
    await once(trap, "listening");
    let asked = 0;
    const fickle = { ...local, resolve: async () => (asked++ === 0 ? ["127.0.0.1"] : ["127.0.0.2"]) };
    const attempt = await post(`http://hooks.test:${port}/`, fickle);
    expect([attempt.status, asked, connections]).toEqual([204, 1, 0]);
  });

  test("refuses a name that became private since the webhook was created", async () => {
    let isAsked = false;
    const port = await listening(createServer(() => (isAsked = true)));
    const fickle = { ...local, allowsLoopback: false, resolve: async () => ["127.0.0.1"] };
    expect(await post(`https://hooks.test:8443/`, fickle)).toMatchObject({
      status: null,
      answer: "the URL must not lead to an address that is not public",
    });
    expect([port > 0, isAsked]).toEqual([true, false]);
  });

  test.each(forbidden)("does not go to %s, by name or by number", async (address) => {
    const refusing = { ...local, allowsLoopback: false, resolve: async () => ["93.184.215.14", address] };
    for (const url of ["https://hooks.test/", urlOf(address)])
      expect(await post(url, refusing)).toMatchObject({
        status: null,
        answer: "the URL must not lead to an address that is not public",
      });
  });

  test("needs a certificate of the name, not only of a trusted signer", async () => {
    const certificate = selfSignedCertificate();
    const port = await listening(
      createTlsServer(certificate, (_, response) => response.writeHead(204).end()),
    );
    const trusting = { ...local, trusted: certificate.cert };
    expect(await post(`https://127.0.0.1:${port}/`, trusting)).toMatchObject({ status: 204 });
    expect(await post(`https://127.0.0.1:${port}/`)).toMatchObject({ status: null });
    // The certificate is for 127.0.0.1; this name leads there.
    expect(await post(`https://hooks.test:${port}/`, trusting)).toMatchObject({
      status: null,
      answer: "the connection failed (ERR_TLS_CERT_ALTNAME_INVALID)",
    });
  });
});
