import { ReviewApiError } from "../lib/client/error.ts";
import { systemCode } from "../lib/runtime/operator-error.ts";

/** A sentence about an error answer of the service or a network failure; undefined for any other error. */
export function describeApiError(error: unknown, url: string): string | undefined {
  if (error instanceof ReviewApiError)
    return `${url} responded with ${error.status} ${error.code}: ${error.message}${
      error.code === "KEY_TYPE_FORBIDDEN" ? ` ${anotherKey}` : ""
    }`;
  // fetch reports a broken connection as a TypeError whose cause is the system's error.
  if (!(error instanceof TypeError && error.cause instanceof Error)) return undefined;
  if (error.cause.message === "unexpected redirect")
    return `${url} sends callers to another address. The key goes only to an address that you name: give the address of the API itself, with https if it has that.`;
  const code = systemCode(error.cause);
  return `${url} does not respond (${code ?? error.cause.message}). ${adviceOn(code)}`;
}

const anotherKey =
  "Give a key of such a kind with --key; the operator of the service makes it (npx --no-install review-api keys create --help).";

/** What to check, by the system's error code. */
function adviceOn(code = ""): string {
  if (code === "ECONNREFUSED") return "Nothing listens there: check the port, and that the service runs.";
  if (/^(?:ENOTFOUND|EAI_AGAIN)$/.test(code))
    return "The name cannot be resolved: check its spelling and your network.";
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code))
    return "Its certificate is not trusted: check the address. For a company's own certificate set NODE_EXTRA_CA_CERTS.";
  if (/^(?:EPROTO|ERR_SSL)/.test(code)) return "It does not use TLS: check http or https, and the port.";
  return "Check the address, and your VPN, proxy and firewall.";
}
