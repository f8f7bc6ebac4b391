import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import * as z from "zod";
import type { Answer } from "../../support/api.ts";

/** Callers build on the published document, so the requests here are generated from it. */
const schemaShape = z.looseObject({
  type: z.string().optional(),
  enum: z.array(z.string()).optional(),
  format: z.string().optional(),
  description: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  required: z.array(z.string()).optional(),
  get items() {
    return schemaShape.optional();
  },
  get properties() {
    return z.record(z.string(), schemaShape).optional();
  },
  get anyOf() {
    return z.array(schemaShape).optional();
  },
});
export type Schema = z.output<typeof schemaShape>;

const operationShape = z.object({
  operationId: z.string(),
  parameters: z.array(
    z.object({ name: z.string(), in: z.enum(["path", "query"]), required: z.boolean(), schema: schemaShape }),
  ),
  requestBody: z
    .object({ content: z.object({ "application/json": z.object({ schema: schemaShape }) }) })
    .optional(),
  responses: z.record(z.string(), z.object({ content: z.record(z.string(), z.unknown()).optional() })),
});

const documentShape = z.object({ paths: z.record(z.string(), z.record(z.string(), operationShape)) });

const source: unknown = JSON.parse(
  readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8"),
);

export type Documented = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: z.output<typeof operationShape>["parameters"];
  readonly body: Schema | undefined;
  readonly responses: z.output<typeof operationShape>["responses"];
};

export const documented: readonly Documented[] = Object.entries(documentShape.parse(source).paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters, requestBody, responses }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
      parameters,
      body: requestBody?.content["application/json"].schema,
      responses,
    })),
);

const ajv = new Ajv2020({ strict: false, allErrors: false });
addFormats.default(ajv);
ajv.addSchema(z.record(z.string(), z.unknown()).parse(source), "document");

const escaped = (segment: string): string =>
  encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1"));

/** The difference between an answer and the document; undefined if there is none. */
export function undocumented({ path, method, responses }: Documented, answer: Answer): string | undefined {
  const response = responses[answer.status];
  if (!response) return `status ${answer.status} is not documented`;
  const type = (answer.headers["content-type"] ?? "").split(";", 1)[0] ?? "";
  if (response.content === undefined) return answer.body.length > 0 ? "a body is not documented" : undefined;
  if (!Object.hasOwn(response.content, type)) return `content type ${type} is not documented`;
  if (type !== "application/json") return undefined;
  const place = [
    "paths",
    path,
    method.toLowerCase(),
    "responses",
    String(answer.status),
    "content",
    type,
    "schema",
  ];
  const isValid = ajv.getSchema(`document#/${place.map(escaped).join("/")}`);
  if (!isValid) return "the document has no schema for it";
  return isValid(answer.json) ? undefined : ajv.errorsText(isValid.errors);
}
