import { optionalVariable, requiredVariable } from "./environment.ts";

export type AwsCredentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
};

/** Where requests go, and who signs them. */
export type AwsIdentity = { readonly region: string; credentials(): Promise<AwsCredentials> };

/** Lambda puts a function's region and credentials into its environment; no other source is tried. */
export const environmentIdentity = (): AwsIdentity => ({
  region: requiredVariable("AWS_REGION"),
  credentials: async () => {
    const sessionToken = optionalVariable("AWS_SESSION_TOKEN");
    return {
      accessKeyId: requiredVariable("AWS_ACCESS_KEY_ID"),
      secretAccessKey: requiredVariable("AWS_SECRET_ACCESS_KEY"),
      ...(sessionToken && { sessionToken }),
    };
  },
});

/** Engines on this machine accept any credentials, but they refuse a request without a signature. */
export const localIdentity: AwsIdentity = {
  region: "local",
  credentials: async () => ({ accessKeyId: "local", secretAccessKey: "local" }),
};
