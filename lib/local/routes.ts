import type { Method } from "../contract/operation.ts";

/** What the gateway needs to know about an operation. */
export type RoutedOperation = {
  readonly source: string;
  readonly method: Method;
  readonly path: string;
  readonly streaming: boolean;
};

export type Match = {
  /** The path template, as API Gateway names it in the event. */
  readonly resource: string;
  /** Still percent-encoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** Undefined: the fallback function answers. */
  readonly operation: RoutedOperation | undefined;
};

export type Router = (method: string, path: string) => Match;

type Resource = { readonly template: string; readonly segments: readonly string[] };

const greedyResource = "/{proxy+}";

/**
 * The resource tree as in API Gateway: every segment of every path is a resource, a fixed segment has precedence over a
 * parameter, and a path that matches nothing goes to `{proxy+}`.
 */
export function createRouter(operations: readonly RoutedOperation[]): Router {
  const resources = resourcesOf(operations.map(({ path }) => path));
  const byRoute = new Map(
    operations.map((operation) => [`${operation.method} ${operation.path}`, operation]),
  );
  return (method, path) => {
    const segments = segmentsOf(path);
    for (const { template, segments: wanted } of resources) {
      const pathParameters = matchSegments(wanted, segments);
      if (pathParameters)
        return { resource: template, pathParameters, operation: byRoute.get(`${method} ${template}`) };
    }
    return { resource: greedyResource, pathParameters: { proxy: path.slice(1) }, operation: undefined };
  };
}

function resourcesOf(paths: readonly string[]): readonly Resource[] {
  const templates = new Set(["/"]);
  for (const path of paths) {
    const segments = segmentsOf(path);
    for (let depth = 1; depth <= segments.length; depth++)
      templates.add(`/${segments.slice(0, depth).join("/")}`);
  }
  return [...templates]
    .map((template) => ({ template, segments: segmentsOf(template) }))
    .toSorted((one, other) => compareSpecificity(one.segments, other.segments));
}

/** "/" has no segments, "/v1/" has an empty second one: a trailing slash makes a different path. */
const segmentsOf = (path: string): readonly string[] => (path === "/" ? [] : path.slice(1).split("/"));

const isParameter = (segment: string): boolean => segment.startsWith("{");

function compareSpecificity(one: readonly string[], other: readonly string[]): number {
  for (const [index, segment] of one.entries()) {
    const rival = other[index];
    if (rival !== undefined && isParameter(segment) !== isParameter(rival))
      return isParameter(segment) ? 1 : -1;
  }
  return 0;
}

function matchSegments(
  wanted: readonly string[],
  given: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (wanted.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? "";
    if (!isParameter(segment)) {
      if (segment !== value) return undefined;
    } else if (value === "") {
      return undefined;
    } else {
      parameters[segment.slice(1, -1)] = value;
    }
  }
  return parameters;
}
