import { policyChanges } from "./policy-changes.ts";
import { asList, asNode, type Node, schemaChanges } from "./schema-changes.ts";

/** Something that worked for a caller and no longer does. */
export type BreakingChange = {
  /** The name in the change log: an operation's id, or the name of a shared schema, header or way to authenticate. */
  readonly subject: string;
  readonly what: string;
};

/** Changes in the new document that can break a caller who relies on the old one. */
export function breakingChanges(old: Node, now: Node): BreakingChange[] {
  const after = new Map(operationsOf(now).map((operation) => [operation.place, operation.details]));
  return [
    ...operationsOf(old).flatMap(({ place, details }) => {
      const subject = String(details.operationId);
      const successor = after.get(place);
      if (!successor) return [{ subject, what: "the operation is gone" }];
      // The security of the whole document is compared once, below.
      const isShared = isSame(details.security, old.security) && isSame(successor.security, now.security);
      const changes = operationChanges(details, successor);
      return [...changes, ...(isShared ? [] : securityChanges(details, successor))].map((what) => ({
        subject,
        what,
      }));
    }),
    ...sharedChanges(old, now, "schemas", (before, after) => schemaChanges("answer", before, after)),
    ...sharedChanges(old, now, "headers", headerChanges),
    ...sharedChanges(old, now, "securitySchemes", schemeChanges),
    ...securityChanges(old, now).map((what) => ({ subject: "security", what })),
  ];
}

/** Components that many operations refer to are compared once, by name. */
const sharedChanges = (
  old: Node,
  now: Node,
  part: string,
  changesOf: (before: Node, after: Node) => string[],
): BreakingChange[] =>
  Object.entries(asNode(asNode(old.components)[part])).flatMap(([subject, before]) => {
    const after = asNode(asNode(now.components)[part])[subject];
    const changes = after === undefined ? ["is gone"] : changesOf(asNode(before), asNode(after));
    return changes.map((what) => ({ subject, what }));
  });

const headerChanges = (before: Node, after: Node): string[] =>
  schemaChanges("answer", asNode(before.schema), asNode(after.schema));

/** The header that contains the key, its place, and everything else a caller must do; descriptions may change. */
const schemeChanges = (before: Node, after: Node): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => field !== "description" && !isSame(before[field], after[field]))
    .map((field) => `its ${field} changed`);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Each entry of `security` is one way to authenticate; no entries, or an empty one, allow every caller. */
function securityChanges({ security: old }: Node, { security: now }: Node): string[] {
  const isOpen = (ways: unknown) => asList(ways).length === 0 || asList(ways).some((way) => isSame(way, {}));
  if (isOpen(now)) return [];
  if (isOpen(old)) return ["a key is needed now"];
  const isKept = (way: unknown) => asList(now).some((other) => isSame(way, other));
  return asList(old).every(isKept) ? [] : ["a way to authenticate is gone"];
}

const operationsOf = (document: Node): ReadonlyArray<{ readonly place: string; readonly details: Node }> =>
  Object.entries(asNode(document.paths)).flatMap(([path, methods]) =>
    Object.entries(asNode(methods)).map(([method, details]) => ({
      place: `${method.toUpperCase()} ${path}`,
      details: { security: document.security, ...asNode(details) },
    })),
  );

const missing = (old: unknown, now: unknown): unknown[] =>
  asList(old).filter((value) => !asList(now).includes(value));

function operationChanges(old: Node, now: Node): string[] {
  return [
    ...(old.operationId === now.operationId ? [] : [`it is called ${now.operationId} now`]),
    ...policyChanges(old, now),
    ...parameterChanges(asList(old.parameters).map(asNode), asList(now.parameters).map(asNode)),
    ...bodyChanges(asNode(old.requestBody), asNode(now.requestBody)),
    ...Object.entries(asNode(old.responses)).flatMap(([status, response]) => {
      const successor = asNode(now.responses)[status];
      return successor === undefined
        ? [`it no longer answers ${status}`]
        : responseChanges(asNode(response), asNode(successor)).map((what) => `${status}: ${what}`);
    }),
  ];
}

/** A parameter without a list is allowed for every kind of key. */
function parameterKindChanges({ "x-key-kinds": before }: Node, { "x-key-kinds": after }: Node): string[] {
  if (after === undefined) return [];
  if (before === undefined) return ["keys of other kinds are refused now"];
  return missing(before, after).map((kind) => `keys of kind ${kind} are refused now`);
}

function parameterChanges(old: readonly Node[], now: readonly Node[]): string[] {
  const same = (one: Node) => (other: Node) => one.name === other.name && one.in === other.in;
  const kept = old.flatMap((before) => {
    const after = now.find(same(before));
    // Unknown parameters are refused, so a request with a removed parameter fails.
    if (!after) return [`the parameter ${before.name} is gone`];
    return [
      ...schemaChanges("request", asNode(before.schema), asNode(after.schema), String(before.name)),
      ...(after.required === true && before.required !== true
        ? [`the parameter ${before.name} is required now`]
        : []),
      ...parameterKindChanges(before, after).map((what) => `${before.name}: ${what}`),
    ];
  });
  const added = now.filter((after) => after.required === true && !old.some(same(after)));
  return [...kept, ...added.map(({ name }) => `the new parameter ${name} is required`)];
}

const mediaOf = (holder: Node): Node => asNode(holder.content);
const schemaOf = (media: unknown): Node => asNode(asNode(media).schema);

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
  return [
    ...missing(old["x-error-codes"], now["x-error-codes"]).map((code) => `${code} is gone`),
    ...Object.entries(asNode(old.headers)).flatMap(([name, header]) => {
      const successor = asNode(now.headers)[name];
      if (successor === undefined) return [`the header ${name} is gone`];
      const [before, after] = [asNode(header), asNode(successor)];
      // Shared headers are compared once, by name.
      const changed = "$ref" in before ? before.$ref !== after.$ref : headerChanges(before, after).length > 0;
      return changed ? [`the header ${name} changed`] : [];
    }),
    ...Object.entries(mediaOf(old)).flatMap(([type, media]) => {
      const successor = mediaOf(now)[type];
      if (successor === undefined) return [`${type} is gone`];
      const [before, after] = [schemaOf(media), schemaOf(successor)];
      // Shared schemas are compared once, by name.
      if ("$ref" in before) return before.$ref === after.$ref ? [] : ["its error shape changed"];
      return schemaChanges("answer", before, after);
    }),
  ];
}
