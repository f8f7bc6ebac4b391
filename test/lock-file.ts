import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as z from "zod";

/**
 * Adds the binaries of other platforms that this machine's registry does not have. npm leaves them out of the lock file
 * without a word; then `npm ci` refuses the file, and `npm install` on such a platform installs no binary.
 * Run it after every change of a dependency: `npm run lock`.
 */

const path = fileURLToPath(new URL("../package-lock.json", import.meta.url));

const words = z.array(z.string()).or(z.string());
const entry = z.looseObject({
  version: z.string().optional(),
  integrity: z.string().optional(),
  dev: z.boolean().optional(),
  license: z.string().optional(),
  os: words.optional(),
  cpu: words.optional(),
  bin: z.record(z.string(), z.string()).optional(),
  engines: z.record(z.string(), z.string()).optional(),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});
type Entry = z.output<typeof entry>;

export const lockSchema = z.looseObject({ packages: z.record(z.string(), entry) });

/** The optional dependencies that no package of the lock file provides. */
export function missingPackages(packages: Readonly<Record<string, Entry>>) {
  return Object.entries(packages).flatMap(([parent, { dev, optionalDependencies }]) =>
    Object.entries(optionalDependencies)
      .filter(([name, version]) => {
        const found = packages[placeOf(packages, parent, name)];
        return !found || (isExact(version) && found.version !== version);
      })
      .map(([name, version]) => ({ parent, name, version, dev })),
  );
}

const isExact = (version: string): boolean => /^\d+\.\d+\.\d+[\w.-]*$/.test(version);

/** Where Node finds `name` from the folder `parent`; the root's folder if it is nowhere. */
function placeOf(packages: Readonly<Record<string, Entry>>, parent: string, name: string): string {
  const above = parent.split(/(?<=[^/])\/(?=node_modules\/)/);
  const places = above.map(
    (_, index) => `${above.slice(0, above.length - index).join("/")}/node_modules/${name}`,
  );
  return places.find((place) => packages[place]) ?? `node_modules/${name}`;
}

const platform =
  /(android|darwin|freebsd|linux|netbsd|openbsd|win(?:32)?)-(arm64|arm|ia32|loong64|ppc64|riscv64|s390x|x64)(?:-(gnu|musl|msvc))?$/;

/** The entry that npm would write, except for the digest, which only a registry with the package knows. */
function entryOf(
  packages: Readonly<Record<string, Entry>>,
  missing: ReturnType<typeof missingPackages>[number],
) {
  const { parent, name, version, dev } = missing;
  const [tail = "", os, cpu] = platform.exec(name) ?? [];
  if (os === undefined || !isExact(version))
    throw new Error(
      `package-lock.json lacks ${name}@${version}. Only an exact version with a platform in its name can be added. Add it by hand.`,
    );
  const family = name.slice(0, -tail.length);
  const sibling = Object.keys(packages[parent]?.optionalDependencies ?? {})
    .filter((each) => each.startsWith(family) && platform.test(each.slice(family.length)))
    .map((each) => packages[placeOf(packages, parent, each)])
    .find((each) => each?.integrity !== undefined);
  return {
    version,
    cpu: [cpu],
    ...(dev && { dev }),
    ...(sibling?.license && { license: sibling.license }),
    optional: true,
    os: [os === "win" ? "win32" : os],
    ...(sibling?.bin && { bin: sibling.bin }),
    ...(sibling?.engines && { engines: sibling.engines }),
  };
}

/** The text of the lock file with an entry for every optional dependency. */
export function completeLockFile(text: string): { readonly text: string; readonly added: readonly string[] } {
  const lock: unknown = JSON.parse(text);
  const { packages } = lockSchema.parse(lock);
  const missing = missingPackages(packages);
  const added = Object.fromEntries(
    missing.map((each) => [`node_modules/${each.name}`, entryOf(packages, each)]),
  );
  const all = Object.entries({
    ...z.object({ packages: z.record(z.string(), z.unknown()) }).parse(lock).packages,
    ...added,
  });
  // npm's own order: it would sort the file again at the next install.
  const sorted = Object.fromEntries(all.toSorted(([one], [other]) => one.localeCompare(other, "en")));
  return {
    text: `${JSON.stringify({ ...Object(lock), packages: sorted }, null, 2)}\n`,
    added: missing.map(({ name, version }) => `${name}@${version}`),
  };
}

if (import.meta.main) {
  const { text, added } = completeLockFile(readFileSync(path, "utf8"));
  writeFileSync(path, text);
  console.log(added.length === 0 ? "package-lock.json is complete." : `Added: ${added.join(", ")}.`);
}
