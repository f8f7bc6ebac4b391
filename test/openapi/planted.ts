import { readFileSync } from "node:fs";
import { releasedFile } from "../../lib/generate/interface.ts";
import { asNode, type Node } from "../../lib/openapi/schema-changes.ts";

/** Changes planted in the released document, to test whether they are found. */

export const released: Node = JSON.parse(
  readFileSync(new URL(`../../${releasedFile}`, import.meta.url), "utf8"),
);

/** A location in the document: names, and in lists the index or the parameter's name. */
export type Path = readonly (string | number)[];
const at = (document: unknown, path: Path): unknown =>
  path.reduce<unknown>((place, step) => {
    const next: unknown =
      Array.isArray(place) && typeof step === "string"
        ? place.find((each) => asNode(each).name === step)
        : Reflect.get(Object(place), step);
    if (next === undefined) throw new Error(`There is nothing at ${path.join(" ")}.`);
    return next;
  }, document);

/** The change at such a location. */
export type Edit = (place: Record<string, unknown>) => void;

/** The released document with one change. */
export function changed(path: Path, change: Edit): Node {
  const copy: Node = structuredClone(released);
  change(Object(at(copy, path)));
  return copy;
}

export const users: Path = ["paths", "/v1/users", "get"];
export const remove =
  (name: string): Edit =>
  (place) => {
    if (!(name in place)) throw new Error(`There is no ${name} to remove.`);
    delete place[name];
  };
export const set =
  (name: string, value: unknown): Edit =>
  (place) => {
    place[name] = value;
  };
export const without =
  (name: string, value: string): Edit =>
  (place) => {
    const values = place[name];
    if (!Array.isArray(values) || !values.includes(value)) throw new Error(`${name} has no ${value}.`);
    place[name] = values.filter((each) => each !== value);
  };
export const along =
  (name: string, value: unknown): Edit =>
  (place) => {
    const values = place[name];
    place[name] = [...(Array.isArray(values) ? values : []), value];
  };
