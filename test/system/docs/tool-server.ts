/**
 * Runs the operator's tool for many commands of a shell, loaded once. A request contains the folder, the number of
 * words, the words and the environment, each ended by a zero byte. The answer is a script that does what the tool would
 * have done in the shell: it prints to both streams and ends with the exit code.
 */
import { createServer } from "node:http";
import { main } from "../../../cli/main.ts";
import { noPaint } from "../../../cli/terminal.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

async function run(words: readonly string[]): Promise<string> {
  const out: Buffer[] = [];
  const said: string[] = [];
  const code = await main(words, {
    out: (text) => void out.push(Buffer.from(`${text}\n`)),
    say: (text) => void said.push(`${text}\n`),
    tryOut: () => undefined,
    outOnce: async (text) => void out.push(Buffer.from(`${text}\n`)),
    write: async (bytes) => void out.push(Buffer.from(bytes)),
    watched: false,
    paint: noPaint,
    paintSaid: noPaint,
    ask: async () => "",
  });
  const printed = Buffer.concat(out).toString();
  return `printf %s ${quoted(printed)}; printf %s ${quoted(said.join(""))} >&2; (exit ${code})`;
}

function enter(folder: string, environment: readonly string[]): void {
  process.chdir(folder);
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const pair of environment) {
    const end = pair.indexOf("=");
    process.env[pair.slice(0, end)] = pair.slice(end + 1);
  }
}

const server = createServer(async (incoming, response) => {
  const text = Buffer.concat(await Array.fromAsync<Buffer>(incoming)).toString();
  const [folder = "", count = "", ...rest] = text.split("\0").slice(0, -1);
  enter(folder, rest.slice(Number(count)));
  response.end(await run(rest.slice(0, Number(count))));
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`http://127.0.0.1:${address?.port}`);
});
