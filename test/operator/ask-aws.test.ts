import { expect, test } from "vitest";
import { sentence } from "../../cli/sentence.ts";
import { askAws } from "../../lib/operator/ask-aws.ts";

/** What the tool says of such an error. */
async function saidOf(name: string, message: string, httpStatusCode?: number) {
  const error = Object.assign(new Error(message), {
    name,
    ...(httpStatusCode !== undefined && { $metadata: { httpStatusCode } }),
  });
  const call = { service: "API Gateway", permission: "apigateway:GET on /account" };
  return await askAws(call, () => Promise.reject(error)).catch(sentence);
}

test("without credentials the operator is told to sign in, not to look at the endpoint", async () => {
  expect(await saidOf("CredentialsProviderError", "Could not load credentials from any providers")).toBe(
    "No AWS credentials were found (Could not load credentials from any providers). Sign in first, for example with aws " +
      "sso login, or set AWS_PROFILE.",
  );
});

test.each([
  ["ExpiredToken", 403],
  ["ExpiredTokenException", 400],
  ["InvalidClientTokenId", 403],
  ["UnrecognizedClientException", 403],
  ["SignatureDoesNotMatch", 403],
])(
  "credentials that are expired or invalid are called so, not a missing permission: %s",
  async (name, status) => {
    expect(await saidOf(name, "The security token is not valid.", status)).toBe(
      `API Gateway answered ${status} (${name}: The security token is not valid). Your AWS credentials are expired or ` +
        "invalid: sign in again, for example with aws sso login, or set AWS_PROFILE.",
    );
  },
);

test("a role that may not call names the permission that it needs", async () => {
  expect(await saidOf("AccessDeniedException", "Not you.", 403)).toMatch(
    /^API Gateway answered 403 \(AccessDeniedException: Not you\)\. Allow your own role apigateway:GET on \/account; /,
  );
});
