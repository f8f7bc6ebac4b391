/**
 * Stands in for `@aws-sdk/credential-provider-node` inside the bundles: Lambda puts a function's credentials
 * into its environment, and the rest of the SDK's chain is 131 KB that would only be parsed.
 */
type Credentials = {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  /** Lets the SDK use the account's own endpoints. */
  accountId?: string;
};

export const defaultProvider = () => async (): Promise<Credentials> => {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
    AWS_ACCOUNT_ID: accountId,
  } = process.env;
  if (!accessKeyId || !secretAccessKey) throw new Error("The environment holds no AWS credentials.");
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken && { sessionToken }),
    ...(accountId && { accountId }),
  };
};
