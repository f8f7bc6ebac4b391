import { OperatorError } from "../runtime/operator-error.ts";

/** One call of an AWS service; if it fails, the error says what came back, and names the permission only if AWS did. */
export async function askAws<Answer>(
  { service, permission }: { readonly service: string; readonly permission: string },
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    // Without credentials no service was asked: the tool says how to sign in.
    if (!(error instanceof Error) || error.name === "CredentialsProviderError") throw error;
    const { name, message, $metadata: { httpStatusCode: status } = {} }: AwsError = error;
    // The SDK's words for an answer that no AWS service gives.
    const said =
      message === "UnknownError"
        ? "not an error of AWS"
        : `${name}: ${message.split("\n")[0]?.replace(/\.$/, "")}`;
    const came =
      status === undefined
        ? `${service} gave no answer (${said})`
        : `${service} answered ${status} (${said})`;
    throw new OperatorError(`${came}. ${adviceOn(name, status, permission)}`);
  }
}

function adviceOn(name: string, status: number | undefined, permission: string): string {
  if (invalidCredentials.test(name))
    return "Your AWS credentials are expired or invalid: sign in again, for example with aws sso login, or set AWS_PROFILE.";
  if (status === 403 || /AccessDenied|NotAuthorized/.test(name))
    return `Allow your own role ${permission}; docs/operate/permissions.md lists what preflight calls.`;
  return "This is no missing permission: run the command again, and see what answers at the endpoint of this service.";
}

const invalidCredentials =
  /^(?:ExpiredToken|InvalidClientTokenId|UnrecognizedClient|SignatureDoesNotMatch|InvalidSignature)(?:Exception)?$/;

type AwsError = Error & { readonly $metadata?: { readonly httpStatusCode?: number } };
