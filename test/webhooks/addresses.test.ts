import { describe, expect, test } from "vitest";
import {
  AddressRefused,
  checkReceiver,
  isGlobalAddress,
  type Network,
} from "../../lib/webhooks/addresses.ts";
import { forbidden } from "./forbidden.ts";

const network = (...addresses: readonly string[]): Network => ({
  resolve: async () => addresses,
  allowsLoopback: false,
  attemptMsMax: 1_000,
});
const open = network("93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c");

const allowed = [
  ...["1.1.1.1", "9.255.255.255", "11.0.0.0", "93.184.215.14", "100.63.255.255", "100.128.0.0", "172.32.0.0"],
  ...[
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700::1111",
    "2a00:1450::1",
    "2001:4860:4860::8888",
  ],
];

describe("where rings may go", () => {
  test.each(forbidden)("%s is not public", (address) => {
    expect(isGlobalAddress(address)).toBe(false);
  });

  test.each(allowed)("%s is public", (address) => {
    expect(isGlobalAddress(address)).toBe(true);
  });

  test.each(forbidden)("a name that also leads to %s is refused", async (address) => {
    await expect(checkReceiver("https://hooks.test/", network("93.184.215.14", address))).rejects.toThrow(
      "must not lead to an address that is not public",
    );
  });

  test.each([
    ["hooks.test/rings", "must be an absolute URL"],
    ["ftp://hooks.test/", "must begin with https://"],
    ["http://hooks.test/", "must begin with https://"],
    ["https://hooks.test:80/", "must have port 443 or 8443"],
    ["https://hooks.test:22/", "must have port 443 or 8443"],
    ["https://user@hooks.test/", "must not contain a user or a password"],
    ["https://:word@hooks.test/", "must not contain a user or a password"],
    ["https://127.0.0.1/", "not public"],
    ["https://2130706433/", "not public"],
    ["https://0x7f.1/", "not public"],
    ["https://[::1]/", "not public"],
    ["https://[::ffff:169.254.169.254]/", "not public"],
    ["https://localhost:8443/", "must not lead"],
  ])("%s is refused, and the message says why: %s", async (url, rule) => {
    const resolver = url.includes("localhost") ? network("127.0.0.1") : open;
    await expect(checkReceiver(url, resolver)).rejects.toThrow(rule);
  });

  test("https with port 443 or 8443 and public addresses is allowed", async () => {
    for (const url of ["https://hooks.test/a?b=c", "https://hooks.test:443/", "https://hooks.test:8443/"])
      expect(await checkReceiver(url, open)).toMatchObject({
        hostname: "hooks.test",
        addresses: ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
      });
  });

  test("a name that no name server knows is refused", async () => {
    const unknown = { ...open, resolve: () => Promise.reject(new Error("ENOTFOUND")) };
    await expect(checkReceiver("https://hooks.test/", unknown)).rejects.toBeInstanceOf(AddressRefused);
    await expect(checkReceiver("https://hooks.test/", network())).rejects.toBeInstanceOf(AddressRefused);
  });

  test("the local service also rings programs on the same machine, and nothing else", async () => {
    const local = { ...network("127.0.0.1"), allowsLoopback: true };
    for (const url of ["http://localhost:3001/", "http://127.0.0.1:9/", "https://[::1]:9000/"])
      expect((await checkReceiver(url, local)).url.href).toBe(url);
    await expect(checkReceiver("http://hooks.test/", { ...open, allowsLoopback: true })).rejects.toThrow(
      "https",
    );
    await expect(checkReceiver("http://10.0.0.1/", local)).rejects.toThrow("https");
    await expect(checkReceiver("https://10.0.0.1/", local)).rejects.toThrow("not public");
  });
});
