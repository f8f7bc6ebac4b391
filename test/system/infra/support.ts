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

const methodSchema = z.object({
  HttpMethod: z.string(),
  ResourceId: z.union([z.object({ Ref: z.string() }), z.object({ "Fn::GetAtt": z.array(z.string()) })]),
  AuthorizationType: z.string(),
  RequestParameters: z.record(z.string(), z.boolean()).optional(),
  Integration: z.object({
    Type: z.string(),
    Uri: z.unknown(),
    Credentials: z.object({ "Fn::GetAtt": z.tuple([z.string(), z.literal("Arn")]) }),
    ResponseTransferMode: z.string().optional(),
    TimeoutInMillis: z.number(),
  }),
});

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
  return ofType(template, "AWS::ApiGateway::Method").map(([, resource]) => {
    const method = methodSchema.parse(resource.Properties);
    const uri = JSON.stringify(method.Integration.Uri);
    return {
      method: method.HttpMethod,
      path: "Ref" in method.ResourceId ? pathOf(template, method.ResourceId.Ref) : "/",
      authorization: method.AuthorizationType,
      parameters: Object.keys(method.RequestParameters ?? {}),
      integration: method.Integration.Type,
      functionId: /"Fn::GetAtt":\["(\w+)","Arn"\]/.exec(uri)?.[1] ?? uri,
      streaming: method.Integration.ResponseTransferMode === "STREAM",
      invocation: /\/([a-z-]+)"\]\]\}$/.exec(uri)?.[1] ?? uri,
      roleId: method.Integration.Credentials["Fn::GetAtt"][0],
      timeoutMs: method.Integration.TimeoutInMillis,
    };
  });
}

const resourceTree = z.object({
  PathPart: z.string(),
  ParentId: z.union([z.object({ Ref: z.string() }), z.object({ "Fn::GetAtt": z.array(z.string()) })]),
});

function pathOf(template: StackTemplate, id: string): string {
  const { PathPart, ParentId } = resourceTree.parse(properties(template, id));
  return "Ref" in ParentId ? `${pathOf(template, ParentId.Ref)}/${PathPart}` : `/${PathPart}`;
}

export const pathsOf = (template: StackTemplate): readonly string[] => [
  "/",
  ...ofType(template, "AWS::ApiGateway::Resource").map(([id]) => pathOf(template, id)),
];

export const environmentOf = (
  template: StackTemplate,
  functionId: string,
): Readonly<Record<string, unknown>> =>
  z
    .object({ Variables: z.record(z.string(), z.unknown()) })
    .default({ Variables: {} })
    .parse(properties(template, partOf(functionId, "Function")).Environment).Variables;
