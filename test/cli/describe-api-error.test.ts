import { expect, test } from "vitest";
import { canPass } from "../../cli/describe-api-error.ts";

const failed = (message: string, code?: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(message), code && { code }) });

test.each(["ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EAI_AGAIN", "UND_ERR_SOCKET"])(
  "whoever follows waits for a service that is away or not there yet: %s",
  (code) => {
    expect([canPass(failed("away", code), true), canPass(failed("away", code), false)]).toEqual([true, true]);
  },
);

test.each([
  failed("unexpected redirect"),
  failed("expired", "CERT_HAS_EXPIRED"),
  failed("self-signed certificate", "DEPTH_ZERO_SELF_SIGNED_CERT"),
  failed("another name", "ERR_TLS_CERT_ALTNAME_INVALID"),
  new TypeError("undefined is not a function"),
])("whoever follows does not wait where no waiting helps: $cause.message", (error) => {
  expect([canPass(error, true), canPass(error, false)]).toEqual([false, false]);
});

test.each(["ENOTFOUND", "EPROTO", "ERR_SSL_WRONG_VERSION_NUMBER"])(
  "%s of the first call is a mistake in the address, later the network is away",
  (code) => {
    expect([canPass(failed("mistyped", code), true), canPass(failed("away", code), false)]).toEqual([
      false,
      true,
    ]);
  },
);
