import { Resolver } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { webhookLimits } from "../contract/limits.ts";
import { environmentVariables } from "../contract/platform.ts";
import { optionalVariable } from "../runtime/environment.ts";

/** The service must not send there; the message says which rule forbids it. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

/** How names become addresses, and which addresses are allowed. An argument, so that tests can change its mind. */
export type Network = {
  /** Every address of the name. Throws or returns none if there is none. */
  resolve(hostname: string): Promise<readonly string[]>;
  /** Only in the local service: rings may go to programs on the same machine, also over http and to any port. */
  readonly allowsLoopback: boolean;
  /** The time of one attempt, from resolving the name to the end of the answer. */
  readonly attemptMsMax: number;
  /** Certificates to trust in place of the public ones; for tests. */
  readonly trusted?: string;
};

const isNameOfThisMachine = (hostname: string): boolean => /^(.+\.)?localhost\.?$/.test(hostname);

/**
 * Asks the name servers. Node's `lookup` would occupy one of few threads until the name server answers; these questions
 * occupy none and are cancelled when their time is up.
 */
export const nameServers = {
  addressesOf: async (
    hostname: string,
    {
      servers,
      msMax = webhookLimits.nameMsMax,
    }: { readonly servers?: readonly string[]; readonly msMax?: number } = {},
  ): Promise<readonly string[]> => {
    if (isNameOfThisMachine(hostname)) return ["127.0.0.1", "::1"];
    const resolver = new Resolver({ timeout: Math.ceil(msMax / 3), tries: 2 });
    if (servers) resolver.setServers(servers);
    const end = setTimeout(() => resolver.cancel(), msMax);
    try {
      const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    } finally {
      clearTimeout(end);
    }
  },
};

export const systemNetwork = (): Network => ({
  resolve: (hostname) => nameServers.addressesOf(hostname),
  attemptMsMax: webhookLimits.attemptMsMax,
  allowsLoopback: optionalVariable(environmentVariables.webhooksToLoopback) === "true",
});

/** The same network, but each name is asked for once. */
export function askingOnce(network: Network): Network {
  const asked = new Map<string, Promise<readonly string[]>>();
  const resolve = (hostname: string) => {
    const addresses = asked.get(hostname) ?? network.resolve(hostname);
    asked.set(hostname, addresses);
    return addresses;
  };
  return { ...network, resolve };
}

/**
 * The ranges that IANA's special-purpose registries do not call globally reachable. A few small ranges inside them are
 * global; no receiver is there, so the whole range is refused.
 */
const notGlobal4 = [
  ["0.0.0.0", 8], // this network
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT
  ["127.0.0.0", 8], // loopback
  ["169.254.0.0", 16], // link-local: metadata and Lambda's own services
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // 6to4 relays
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, broadcast
] as const;

/**
 * All global addresses of IPv6 are in 2000::/3. Outside are loopback, IPv4-mapped, NAT64, unique-local, link-local and
 * multicast addresses; these ranges are inside and not global.
 */
const notGlobal6 = [
  ["2001::", 23], // protocol assignments, Teredo and benchmarks among them
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4: contains an IPv4 address
  ["3fff::", 20], // documentation
] as const;

const refused4 = new BlockList();
for (const [network, bits] of notGlobal4) refused4.addSubnet(network, bits, "ipv4");
const refused6 = new BlockList();
for (const [network, bits] of notGlobal6) refused6.addSubnet(network, bits, "ipv6");
const global6 = new BlockList();
global6.addSubnet("2000::", 3, "ipv6");
const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

export function isGlobalAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !refused4.check(address, "ipv4");
  return family === 6 && global6.check(address, "ipv6") && !refused6.check(address, "ipv6");
}

const isLoopback = (address: string): boolean =>
  loopback.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

const ports = ["", "443", "8443"];

/** A place where a ring may go: the URL, and the addresses that were checked. Only these may be connected to. */
export type CheckedReceiver = {
  readonly url: URL;
  readonly hostname: string;
  readonly addresses: readonly string[];
};

/** Resolves the name once and checks every address that it has. Throws AddressRefused. */
export async function checkReceiver(text: string, network: Network): Promise<CheckedReceiver> {
  const url = URL.parse(text);
  if (!url) throw new AddressRefused("must be an absolute URL, such as https://example.com/deliveries");
  if (url.username !== "" || url.password !== "")
    throw new AddressRefused("must not contain a user or a password");
  if (url.protocol !== "https:" && !(network.allowsLoopback && url.protocol === "http:"))
    throw new AddressRefused("must begin with https://");
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(hostname) ? [hostname] : await resolved(hostname, network);
  const isLocal = network.allowsLoopback && addresses.every(isLoopback);
  if (!isLocal) {
    if (url.protocol !== "https:") throw new AddressRefused("must begin with https://");
    if (!ports.includes(url.port)) throw new AddressRefused("must have port 443 or 8443");
    if (!addresses.every(isGlobalAddress))
      throw new AddressRefused("must not lead to an address that is not public");
  }
  if (addresses.length === 0) throw new AddressRefused(unknownName);
  return { url, hostname, addresses };
}

const unknownName = "must have a host name that the name servers know";

async function resolved(hostname: string, network: Network): Promise<readonly string[]> {
  try {
    return await network.resolve(hostname);
  } catch {
    throw new AddressRefused(unknownName);
  }
}
