import { breakingChanges } from "./changes.ts";
import { asNode, type Node } from "./schema-changes.ts";

/** Why this document cannot replace the released one: it breaks callers but has the version promised to them. */
export function releaseProblem(released: Node, now: Node): string | undefined {
  const [before, after] = [versionOf(released), versionOf(now)];
  if (isNewer(after, before)) return undefined;
  const changes = breakingChanges(released, now).map(({ subject, what }) => `  ${subject}: ${what}`);
  if (changes.length === 0) return undefined;
  return [
    `Version ${before} of the interface is released, and this would break its callers:`,
    ...changes,
    "Release it as a newer version: raise interfaceVersion in lib/generate/interface.ts, and give the",
    "change log's part Unreleased, which names these changes, that number. Or take the changes back.",
  ].join("\n");
}

const versionOf = ({ info }: Node): string => String(asNode(info).version);

const isNewer = (version: string, than: string): boolean =>
  version.localeCompare(than, "en", { numeric: true }) > 0;
