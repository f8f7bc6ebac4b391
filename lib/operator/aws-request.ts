import { SignatureV4 } from "@smithy/signature-v4";
import * as z from "zod";
import type { AwsIdentity } from "../runtime/aws-identity.ts";
import { OperatorError } from "../runtime/operator-error.ts";
import { Sha256 } from "../runtime/sha256.ts";

/** A service of which one call is needed: its whole SDK client would be a dependency for that. */
export type AwsService = {
  /** The first part of its host, and the name in signatures. */
  readonly name: string;
  /** AWS's own variable that replaces the endpoint. */
  readonly endpointVariable: string;
};

export type AwsRequest = AwsService & {
  readonly path?: string;
  /** A call of AWS's JSON protocol: its target and its input. Without it the request is a GET. */
  readonly call?: { readonly target: string; readonly input: object };
};

/** Signs a request, sends it and returns the JSON of the answer. */
export async function askAws(identity: AwsIdentity, request: AwsRequest): Promise<unknown> {
  const { name, endpointVariable, path = "/", call } = request;
  const { AWS_ENDPOINT_URL, [endpointVariable]: own = AWS_ENDPOINT_URL } = process.env;
  const url = new URL(path, own ?? `https://${name}.${identity.region}.amazonaws.com`);
  const body = call && JSON.stringify(call.input);
  const signer = new SignatureV4({
    service: name,
    region: identity.region,
    credentials: () => identity.credentials(),
    sha256: Sha256,
  });
  const signed = await signer.sign({
    method: call ? "POST" : "GET",
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: {
      host: url.host,
      accept: "application/json",
      ...(call && { "content-type": "application/x-amz-json-1.1", "x-amz-target": call.target }),
    },
    body,
  });
  const response = await fetch(url, { method: signed.method, headers: signed.headers, body: body ?? null });
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  throw refusal(name, response, text);
}

const callerIdentity = z.object({
  GetCallerIdentityResponse: z.object({ GetCallerIdentityResult: z.object({ Arn: z.string() }) }),
});

/** Who signs the requests, as AWS names it; every identity may ask this. */
export async function callerArn(identity: AwsIdentity): Promise<string> {
  const answer = await askAws(identity, {
    ...{ name: "sts", endpointVariable: "AWS_ENDPOINT_URL_STS" },
    path: "/?Action=GetCallerIdentity&Version=2011-06-15",
  });
  return callerIdentity.parse(answer).GetCallerIdentityResponse.GetCallerIdentityResult.Arn;
}

function refusal(service: string, { status, headers }: Response, text: string): OperatorError {
  const kind = headers.get("x-amzn-errortype") ?? /"__type":"(?:[^"#]*#)?(\w+)"/.exec(text)?.[1] ?? "";
  const message = /"[mM]essage":"([^"]*)"/.exec(text)?.[1] ?? "";
  return new OperatorError(
    `${service} of AWS answered ${status} ${kind} ${message}`.trim().replace(/\.$/, "") +
      ". If your own role lacks the permission, allow it; docs/operate/permissions.md lists what preflight calls.",
  );
}
