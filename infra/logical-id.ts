/** Parts that CDK adds to every path and that tell nobody anything. */
const silentParts = new Set(["Resource", "Default"]);

/**
 * A readable name for a resource, out of its place in the tree: `Api/ListOrganizations/Function/Resource`
 * becomes `ListOrganizationsFunction`. The first part is only how we group constructs, so a resource can
 * move between groups and keep its name, and with it its data. CDK refuses two resources of one name.
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

/** CDK's names for what ties two constructs together repeat the whole paths of both. */
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
