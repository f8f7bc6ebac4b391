import { list, type Node, node, schemaChanges } from "./schema-changes.ts";

/** Something that worked for a caller and no longer does. */
export type BreakingChange = {
  /** Where, as the change log names it: an operation's id, or the name of a shared schema. */
  readonly subject: string;
  readonly what: string;
};

/** What a caller who relies on the old document could trip over in the new one. */
export function breakingChanges(old: Node, now: Node): BreakingChange[] {
  const after = new Map(operationsOf(now).map((operation) => [operation.place, operation.details]));
  return [
    ...operationsOf(old).flatMap(({ place, details }) => {
      const subject = String(details.operationId);
      const successor = after.get(place);
      const changes = successor ? operationChanges(details, successor) : ["the operation is gone"];
      return changes.map((what) => ({ subject, what }));
    }),
    ...Object.entries(node(node(old.components).schemas)).flatMap(([subject, schema]) => {
      const successor = node(node(node(now.components).schemas)[subject]);
      return schemaChanges("answer", node(schema), successor).map((what) => ({ subject, what }));
    }),
  ];
}

const operationsOf = (document: Node) =>
  Object.entries(node(document.paths)).flatMap(([path, methods]) =>
    Object.entries(node(methods)).map(([method, details]) => ({
      place: `${method.toUpperCase()} ${path}`,
      details: node(details),
    })),
  );

const missing = (old: unknown, now: unknown): unknown[] =>
  list(old).filter((value) => !list(now).includes(value));

function operationChanges(old: Node, now: Node): string[] {
  return [
    ...(old.operationId === now.operationId ? [] : [`it is called ${now.operationId} now`]),
    ...missing(old["x-key-kinds"], now["x-key-kinds"]).map((kind) => `keys of kind ${kind} are refused now`),
    ...parameterChanges(list(old.parameters).map(node), list(now.parameters).map(node)),
    ...bodyChanges(node(old.requestBody), node(now.requestBody)),
    ...Object.entries(node(old.responses)).flatMap(([status, response]) => {
      const successor = node(now.responses)[status];
      return successor === undefined
        ? [`it no longer answers ${status}`]
        : responseChanges(node(response), node(successor)).map((what) => `${status}: ${what}`);
    }),
  ];
}

function parameterChanges(old: readonly Node[], now: readonly Node[]): string[] {
  const same = (one: Node) => (other: Node) => one.name === other.name && one.in === other.in;
  const kept = old.flatMap((before) => {
    const after = now.find(same(before));
    // Unknown parameters are refused, so one that is gone is one that fails.
    if (!after) return [`the parameter ${before.name} is gone`];
    const changes = schemaChanges("request", node(before.schema), node(after.schema), String(before.name));
    return after.required === true && before.required !== true
      ? [...changes, `the parameter ${before.name} is required now`]
      : changes;
  });
  const added = now.filter((after) => after.required === true && !old.some(same(after)));
  return [...kept, ...added.map(({ name }) => `the new parameter ${name} is required`)];
}

const mediaOf = (holder: Node): Node => node(holder.content);
const schemaOf = (media: unknown): Node => node(node(media).schema);

function bodyChanges(old: Node, now: Node): string[] {
  if (now.required === true && old.required !== true) return ["a body is required now"];
  return Object.entries(mediaOf(old)).flatMap(([type, media]) => {
    const successor = mediaOf(now)[type];
    return successor === undefined
      ? [`bodies of type ${type} are refused now`]
      : schemaChanges("request", schemaOf(media), schemaOf(successor)).map((what) => `body: ${what}`);
  });
}

function responseChanges(old: Node, now: Node): string[] {
  const headersGone = Object.keys(node(old.headers)).filter((name) => !(name in node(now.headers)));
  return [
    ...missing(old["x-error-codes"], now["x-error-codes"]).map((code) => `${code} is gone`),
    ...headersGone.map((name) => `the header ${name} is gone`),
    ...Object.entries(mediaOf(old)).flatMap(([type, media]) => {
      const successor = mediaOf(now)[type];
      if (successor === undefined) return [`${type} is gone`];
      const [before, after] = [schemaOf(media), schemaOf(successor)];
      // Shared schemas are compared once, by their name.
      if ("$ref" in before) return before.$ref === after.$ref ? [] : ["its error shape changed"];
      return schemaChanges("answer", before, after);
    }),
  ];
}
