import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const product = ["cli", "dashboard", "infra", "lib", "package"];
const sources = [...product, "functions", "test"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((file) => join(folder, String(file)))
    .filter((file) => /\.(tsx?|js)$/.test(file) && !/^(dashboard|package)\/built|node_modules/.test(file))
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") })),
);

/** Who imports a value, by `file name`; `file *` is an import of everything. */
const importers = Map.groupBy(
  sources.flatMap(({ file: by, text }) =>
    [...text.matchAll(/(?:(\* as \w+)|\{([^}]*)\}) from "(\.[^"]+)"|import\("(\.[^"]+)"\)/g)].flatMap(
      ([, all, names = "*", from, lazy]) =>
        (all ? "*" : names)
          .split(",")
          .map(
            (name) =>
              name
                .trim()
                .replace(/^type /, "")
                .split(" ", 1)[0],
          )
          .map((name) => ({ by, value: `${join(dirname(by), from ?? lazy ?? "")} ${name}` })),
    ),
  ),
  ({ value }) => value,
);

test("every exported value is imported by a file, and used by more than tests", () => {
  const own = sources.filter(({ file }) => /^(?!functions|test|lib\/generate|lib\/redaction)/.test(file));
  const idle = own.flatMap(({ file, text }) =>
    [...text.matchAll(/^export (?:async )?(?:const|function\*?|class) (\w+)/gm)].flatMap(([, name = ""]) => {
      const by = [name, "*"].flatMap((each) => importers.get(`${file} ${each}`) ?? []);
      const isUsedHere = text.split(new RegExp(`\\b${name}\\b`)).length > 2;
      const isNeeded = by.some((each) => !each.by.startsWith("test")) || (isUsedHere && by.length > 0);
      return isNeeded ? [] : [`${file}: ${name}`];
    }),
  );
  expect(idle).toEqual([]);
});
