import { optionalVariable, requiredVariable } from "./environment.ts";

export type AwsCredentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
};

/** Where requests go, and who signs them. */
export type AwsIdentity = { readonly region: string; credentials(): Promise<AwsCredentials> };

/** Lambda puts a function's region and credentials into its environment; nothing else is tried. */
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

/** Engines on this machine take any credentials, yet a request without a signature is none. */
export const localIdentity: AwsIdentity = {
  region: "local",
  credentials: async () => ({ accessKeyId: "local", secretAccessKey: "local" }),
};

export type AwsServiceName = "dynamodb" | "sqs" | "s3" | "bedrock-runtime";

/** The name that a signature is bound to. */
export const signingNameOf = (service: AwsServiceName): string =>
  service === "bedrock-runtime" ? "bedrock" : service;

/** An endpoint that the environment puts in the place of AWS's own, under the names that AWS's SDKs use. */
export const endpointInstead = (service: AwsServiceName): string | undefined =>
  optionalVariable(`AWS_ENDPOINT_URL_${service.toUpperCase().replaceAll("-", "_")}`) ??
  optionalVariable("AWS_ENDPOINT_URL");

/** `hostPrefix` goes before AWS's host name, and only there: S3 has a host for every bucket. */
export function endpointOf(service: AwsServiceName, region: string, hostPrefix = ""): string {
  const suffix = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return endpointInstead(service) ?? `https://${hostPrefix}${service}.${region}.${suffix}`;
}
