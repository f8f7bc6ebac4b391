import { createHash, createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export type SignedRequest = {
  readonly method: string;
  /** As received over the network. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type ExpectedSigner = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  readonly service: string;
};

const form =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;
const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/**
 * AWS's side of signature version 4, written from its documentation, independent of our signing code: returns the
 * problem with a request, or undefined.
 */
export function signatureProblem(request: SignedRequest, signer: ExpectedSigner): string | undefined {
  const parts = form.exec(String(request.headers.authorization));
  if (!parts) return `authorization has another form: ${request.headers.authorization}`;
  const [, id, day = "", region, service, names = "", signature] = parts;
  const said = { accessKeyId: id, region, service };
  const { secretAccessKey, ...wanted } = signer;
  for (const [name, value] of Object.entries(wanted))
    if (Reflect.get(said, name) !== value) return `${name} is ${Reflect.get(said, name)}, not ${value}`;

  const date = String(request.headers["x-amz-date"]);
  if (!/^\d{8}T\d{6}Z$/.test(date) || !date.startsWith(day)) return `x-amz-date is ${date}`;
  const mustBeSigned = ["host", ...Object.keys(request.headers).filter((name) => name.startsWith("x-amz-"))];
  const unsigned = mustBeSigned.filter((name) => !names.split(";").includes(name));
  if (unsigned.length > 0) return `not signed: ${unsigned}`;

  const payloadHash = sha256(request.body);
  const said256 = request.headers["x-amz-content-sha256"];
  if (said256 !== undefined && said256 !== payloadHash) return "x-amz-content-sha256 is of another body";

  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical(request, names, service, payloadHash))];
  const steps = [day, region ?? "", service ?? "", "aws4_request"];
  const key = steps.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, toSign.join("\n")).toString("hex") === signature
    ? undefined
    : "the signature does not fit";
}

function canonical(
  { method, target, headers }: SignedRequest,
  names: string,
  service: string | undefined,
  payloadHash: string,
): string {
  const [path = "/", query = ""] = target.split("?", 2);
  const encoded = service === "s3" ? path : path.split("/").map(encodeURIComponent).join("/");
  const lines = names.split(";").map((name) => `${name}:${String(headers[name]).trim()}`);
  return [method, encoded, query, ...lines, "", names, payloadHash].join("\n");
}
