import { createHash } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../runtime/clock.ts";
import type { Lock } from "../runtime/file-lock.ts";
import { systemCode } from "../runtime/operator-error.ts";

/**
 * At most one process writes a file. The operating system holds both locks and releases them when the process ends in
 * any way. The name of a socket works on every Node and counts on this machine. SQLite's lock, which Node 20 lacks,
 * also counts for containers that share the folder. Undefined: another process has a lock.
 */
export async function tryExportLock(file: string): Promise<Lock | undefined> {
  const server = await listenSoon(addressOf(file));
  if (!server) return undefined;
  const release = () => void server.close();
  try {
    const sqlite = await import("../runtime/file-lock.ts").catch(unlessUnknownModule);
    if (!sqlite) return { release };
    const inner = sqlite.tryLock(file);
    if (!inner) release();
    return (
      inner && {
        release() {
          inner.release();
          release();
        },
      }
    );
  } catch (error) {
    release();
    throw error;
  }
}

function unlessUnknownModule(error: unknown): undefined {
  if (systemCode(error) !== "ERR_UNKNOWN_BUILTIN_MODULE") throw error;
}

/**
 * On Linux and Windows the name exists only while a process listens on it. Node 20 fills Linux's names up with zeros to
 * their full length: a name of that length is the same for every Node.
 */
function addressOf(file: string): string {
  const name = `review-api-${createHash("sha512").update(file).digest("hex")}`;
  if (process.platform === "linux") return `\0${name.slice(0, linuxNameBytes)}`;
  const short = name.slice(0, 40);
  return process.platform === "win32" ? `\\\\.\\pipe\\${short}` : join(tmpdir(), short);
}

const linuxNameBytes = 107;

const triesMax = 20;
const betweenTriesMs = 50;

/**
 * A process that another thread of this one starts holds copies of all open sockets until its program begins: for this
 * moment a name that is already released still counts as taken.
 */
async function listenSoon(address: string): Promise<Server | undefined> {
  for (let tries = 1; ; tries++) {
    const server = await tryListen(address);
    if (server || tries === triesMax) return server;
    await systemClock.sleep(betweenTriesMs);
  }
}

async function tryListen(address: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  try {
    server.listen(address);
    await once(server, "listening");
    return server;
  } catch (error) {
    if (systemCode(error) !== "EADDRINUSE") throw error;
    if (address.startsWith("\0") || (await answers(address))) return undefined;
    // Elsewhere a killed process leaves its socket's file behind.
    await rm(address, { force: true });
    return tryListen(address);
  }
}

async function answers(address: string): Promise<boolean> {
  const socket = connect(address);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
