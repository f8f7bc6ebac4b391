import * as z from "zod";

const resourceSchema = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
  DependsOn: z.array(z.string()).optional(),
  Metadata: z.record(z.string(), z.unknown()).optional(),
});
export const templateSchema = z.object({
  Resources: z.record(z.string(), resourceSchema),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown() })),
});

export type Resource = z.output<typeof resourceSchema>;
export type StackTemplate = z.output<typeof templateSchema>;

export const ofType = (
  { Resources }: StackTemplate,
  type: string,
): ReadonlyArray<readonly [string, Resource]> =>
  Object.entries(Resources).filter(([, { Type }]) => Type === type);

export const properties = ({ Resources }: StackTemplate, id: string): Resource["Properties"] => {
  const resource = Resources[id];
  if (!resource) throw new Error(`The template has no resource ${id}.`);
  return resource.Properties;
};

/** Logical id of a function's parts, by its id in the contract. */
export const partOf = (id: string, part: "Function" | "Role"): string =>
  `${id.charAt(0).toUpperCase()}${id.slice(1)}${part}`;

const statementSchema = z.object({
  Effect: z.string(),
  Action: z.union([z.string(), z.array(z.string())]).transform((action) => [action].flat()),
  Resource: z.unknown().transform((resource) => (Array.isArray(resource) ? resource : [resource])),
  Condition: z.unknown().optional(),
});
const documentSchema = z.object({ Statement: z.array(statementSchema) });
export type Statement = z.output<typeof statementSchema>;

const roleSchema = z.object({ Policies: z.tuple([z.object({ PolicyDocument: documentSchema })]) });

/** The statements of a role, by its logical id: its one inline policy. */
export const roleStatementsOf = (template: StackTemplate, roleId: string): readonly Statement[] =>
  roleSchema.parse(properties(template, roleId)).Policies[0].PolicyDocument.Statement;

/** The statements of a function's role. */
export const statementsOf = (template: StackTemplate, id: string): readonly Statement[] =>
  roleStatementsOf(template, partOf(id, "Role"));

const integrationSchema = z.object({
  type: z.string(),
  uri: z.unknown(),
  credentials: z.object({ "Fn::GetAtt": z.tuple([z.string(), z.literal("Arn")]) }),
  responseTransferMode: z.string().optional(),
  timeoutInMillis: z.number(),
});
const methodSchema = z.object({
  operationId: z.string().optional(),
  security: z.array(z.unknown()).optional(),
  parameters: z
    .array(z.object({ name: z.string(), in: z.literal("path"), required: z.literal(true) }))
    .default([]),
  "x-amazon-apigateway-integration": integrationSchema,
});
const gatewayResponseSchema = z.object({
  statusCode: z.string(),
  responseParameters: z.record(z.string(), z.string()),
  responseTemplates: z.object({ "application/json": z.string() }),
});
const definitionSchema = z.looseObject({
  openapi: z.string(),
  paths: z.record(z.string(), z.record(z.string(), methodSchema)),
  "x-amazon-apigateway-gateway-responses": z.record(z.string(), gatewayResponseSchema),
  "x-amazon-apigateway-binary-media-types": z.array(z.string()).default([]),
});

/** What API Gateway imports. */
export const definitionOf = (template: StackTemplate): z.output<typeof definitionSchema> =>
  definitionSchema.parse(properties(template, "RestApi").Body);

/** The gateway's own answers, by their type. */
export const gatewayResponsesOf = (template: StackTemplate) =>
  new Map(Object.entries(definitionOf(template)["x-amazon-apigateway-gateway-responses"]));

/** Changes the integrations that lead to a function; `undefined` removes the method. */
export function alterRoutes(
  template: StackTemplate,
  functionId: string,
  alter: (integration: Record<string, unknown>, method: string) => object | undefined,
): void {
  const body = z
    .looseObject({ paths: z.record(z.string(), z.record(z.string(), z.looseObject({}))) })
    .parse(properties(template, "RestApi").Body);
  for (const methods of Object.values(body.paths))
    for (const [method, answered] of Object.entries(methods)) {
      if (!JSON.stringify(answered).includes(`"${functionId}"`)) continue;
      const name = "x-amazon-apigateway-integration";
      const altered = alter(z.record(z.string(), z.unknown()).parse(answered[name]), method);
      if (altered) methods[method] = { ...answered, [name]: altered };
      else delete methods[method];
    }
  properties(template, "RestApi").Body = body;
}

export type Route = {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly parameters: readonly string[];
  readonly integration: string;
  readonly functionId: string;
  readonly streaming: boolean;
  readonly invocation: string;
  /** The role with which the gateway invokes the function. */
  readonly roleId: string;
  readonly timeoutMs: number;
};

/** The routes as API Gateway will have them. */
export function routesOf(template: StackTemplate): readonly Route[] {
  return Object.entries(definitionOf(template).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, answered]) => {
      const integration = answered["x-amazon-apigateway-integration"];
      const uri = JSON.stringify(integration.uri);
      return {
        method: method === "x-amazon-apigateway-any-method" ? "ANY" : method.toUpperCase(),
        path,
        // A method that names no security is open: its function checks the key.
        authorization: answered.security === undefined ? "NONE" : JSON.stringify(answered.security),
        parameters: answered.parameters.map(({ name }) => name),
        integration: integration.type,
        functionId: /"Fn::GetAtt":\["(\w+)","Arn"\]/.exec(uri)?.[1] ?? uri,
        streaming: integration.responseTransferMode === "STREAM",
        invocation: /\/([a-z-]+)"\]\]\}$/.exec(uri)?.[1] ?? uri,
        roleId: integration.credentials["Fn::GetAtt"][0],
        timeoutMs: integration.timeoutInMillis,
      };
    }),
  );
}

export const pathsOf = (template: StackTemplate): readonly string[] =>
  Object.keys(definitionOf(template).paths);

export const environmentOf = (
  template: StackTemplate,
  functionId: string,
): Readonly<Record<string, unknown>> =>
  z
    .object({ Variables: z.record(z.string(), z.unknown()) })
    .default({ Variables: {} })
    .parse(properties(template, partOf(functionId, "Function")).Environment).Variables;
