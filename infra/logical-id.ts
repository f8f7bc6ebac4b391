/** Parts that CDK adds to every path and that carry no information. */
const silentParts = new Set(["Resource", "Default"]);

/**
 * A readable name for a resource, derived from its path in the construct tree:
 * `Api/ListOrganizations/Function/Resource` becomes `ListOrganizationsFunction`. The first part is only our grouping of
 * constructs, so a resource can move between groups and keep its name, and with it its data. CDK rejects two resources
 * with the same name.
 */
export function logicalId(path: string): string {
  const parts = path.split("/");
  const named = parts.length > 1 ? parts.slice(1) : parts;
  return named
    .filter((part) => !silentParts.has(part))
    .map(shortName)
    .map(pascalCase)
    .join("");
}

/** CDK's names for connections between two constructs repeat the whole paths of both. */
const ties: ReadonlyArray<readonly [prefix: string, name: string]> = [
  ["ApiPermission.", "Permission"],
  ["AllowEventRule", "Permission"],
  ["Map:", "Mapping"],
];

const shortName = (part: string): string => ties.find(([prefix]) => part.startsWith(prefix))?.[1] ?? part;

const pascalCase = (part: string): string =>
  part
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
