import { OperatorError } from "../runtime/operator-error.ts";

/** One call of an AWS service; if it fails, the error says what came back, and names the permission only if AWS did. */
export async function askAws<Answer>(
  { service, permission }: { readonly service: string; readonly permission: string },
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
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
    const advice =
      status === 403 || /AccessDenied|NotAuthorized/.test(name)
        ? `Allow your own role ${permission}; docs/operate/permissions.md lists what preflight calls.`
        : "This is no missing permission: run the command again, and see what answers at the endpoint of this service.";
    throw new OperatorError(`${came}. ${advice}`);
  }
}

type AwsError = Error & { readonly $metadata?: { readonly httpStatusCode?: number } };
