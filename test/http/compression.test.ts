import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { compress, preferredCoding } from "../../lib/http/compression.ts";

test.each([
  ["", undefined],
  ["identity", undefined],
  ["gzip", "gzip"],
  ["br", "br"],
  ["gzip, deflate, br", "gzip"],
  ["br;q=1.0, gzip;q=0.5", "br"],
  ["GZIP;Q=0.8", "gzip"],
  ["gzip;q=0", undefined],
  ["gzip;q=0, br", "br"],
  ["*", "gzip"],
  ["*;q=0", undefined],
  ["gzip;q=banana", undefined],
  ["deflate, zstd", undefined],
] as const)("Accept-Encoding %j chooses %j", (header, coding) => {
  expect(preferredCoding(header)).toBe(coding);
});

test("both codings decompress to the original bytes", async () => {
  const body = Buffer.from("é😀 review ".repeat(10_000));
  expect(gunzipSync(await compress("gzip", body))).toEqual(body);
  expect(brotliDecompressSync(await compress("br", body))).toEqual(body);
});
