import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { nameServers } from "../../lib/webhooks/addresses.ts";

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

/** A name server on this machine. It answers each question with what `answer` returns; undefined: never. */
async function nameServer(answer: (type: number) => readonly number[] | undefined): Promise<string> {
  const socket = createSocket("udp4");
  sockets.push(socket);
  socket.on("message", (question, from) => {
    const end = question.indexOf(0, 12) + 5;
    const data = answer(question.readUInt16BE(end - 4));
    if (!data) return;
    const record = [0xc0, 12, ...question.subarray(end - 4, end), 0, 0, 0, 60, 0, data.length, ...data];
    const counts = [0, 1, 0, data.length > 0 ? 1 : 0, 0, 0, 0, 0];
    const header = [...question.subarray(0, 2), 0x81, 0x80, ...counts];
    const parts = [...header, ...question.subarray(12, end), ...(data.length > 0 ? record : [])];
    socket.send(Buffer.from(parts), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return `127.0.0.1:${socket.address().port}`;
}

const isA = (type: number) => type === 1;
const four = [93, 184, 215, 14];
const six = [0x26, 0x06, ...Array.from({ length: 13 }, () => 0), 1];

test("a name has all its addresses of both kinds", async () => {
  const server = await nameServer((type) => (isA(type) ? four : six));
  expect(await nameServers.addressesOf("hooks.test", { servers: [server] })).toEqual([
    "93.184.215.14",
    "2606::1",
  ]);
});

test("a name with addresses of one kind only has those", async () => {
  const server = await nameServer((type) => (isA(type) ? [] : six));
  expect(await nameServers.addressesOf("hooks.test", { servers: [server] })).toEqual(["2606::1"]);
});

test("a name server that never answers is not waited for: the name has no address", async () => {
  let questions = 0;
  const server = await nameServer(() => void questions++);
  expect(await nameServers.addressesOf("hooks.test", { servers: [server], msMax: 100 })).toEqual([]);
  expect(questions).toBeGreaterThan(0);
});

test("the names of this machine need no name server", async () => {
  const never = { servers: ["127.0.0.1:9"], msMax: 1 };
  for (const name of ["localhost", "localhost.", "receiver.localhost"])
    expect(await nameServers.addressesOf(name, never)).toEqual(["127.0.0.1", "::1"]);
});
