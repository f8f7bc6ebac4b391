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
  if (isRedirect(error.cause))
    return `${url} sends callers to another address. The key goes only to an address that you name: give the address of the API itself, with https if it has that.`;
  const code = systemCode(error.cause);
  return `${url} does not respond (${code ?? error.cause.message}). ${adviceOn(code)}`;
}

/**
 * Whether waiting can help whoever follows. A name that no server knows, or an address without TLS, is a mistake in the
 * first call; later it is a network that is away.
 */
export function canPass(error: unknown, isFirst: boolean): boolean {
  if (error instanceof ReviewApiError) return error.status >= 429;
  if (!(error instanceof TypeError && error.cause instanceof Error) || isRedirect(error.cause)) return false;
  const code = systemCode(error.cause) ?? "";
  return !untrusted.test(code) && !(isFirst && (code === "ENOTFOUND" || noTls.test(code)));
}

const isRedirect = (cause: Error): boolean => cause.message === "unexpected redirect";
const untrusted = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/;
const noTls = /^(?:EPROTO|ERR_SSL)/;

const anotherKey =
  "Give a key of such a kind with --key; the operator of the service makes it (npx --no-install review-api keys create --help).";

/** What to check, by the system's error code. */
function adviceOn(code = ""): string {
  if (code === "ECONNREFUSED") return "Nothing listens there: check the port, and that the service runs.";
  if (/^(?:ENOTFOUND|EAI_AGAIN)$/.test(code))
    return "The name cannot be resolved: check its spelling and your network.";
  if (untrusted.test(code))
    return "Its certificate is not trusted: check the address. For a company's own certificate set NODE_EXTRA_CA_CERTS.";
  if (noTls.test(code)) return "It does not use TLS: check http or https, and the port.";
  return "Check the address, and your VPN, proxy and firewall.";
}
