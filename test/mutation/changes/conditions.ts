import { Visitor } from "vite";
import { type Change, changesOf, inFiles } from "./change.ts";

const simple = ["absent", "present", "equals", "differs", "below", "atMost", "above", "atLeast"];

/**
 * Every value of a property `when`, every element of a list `{ all: […] }`, and every simple condition wherever it is
 * made: each becomes "always". Of a list `{ any: […] }` every element would make the whole list hold.
 */
export const conditionsIn = (file: string, source: string): readonly Change[] =>
  changesOf(file, source, (program, add) => {
    const alternatives = new Set<number>();
    new Visitor({
      ObjectExpression(node) {
        for (const property of node.properties) {
          if (property.type !== "Property" || property.key.type !== "Identifier") continue;
          const { key, value, shorthand } = property;
          if (key.name === "when") add(value, "always", { kind: "condition", isShorthand: shorthand });
          if (node.properties.length > 1) continue;
          if (simple.includes(key.name) && !shorthand && !alternatives.has(node.start))
            add(node, "always", { kind: "condition" });
          const elements = value.type === "ArrayExpression" ? value.elements : [];
          for (const part of elements) {
            if (!part) continue;
            if (key.name === "any") alternatives.add(part.start);
            if (key.name === "all" && elements.length > 1 && part.type !== "SpreadElement")
              add(part, "always", { kind: "condition" });
          }
        }
      },
    }).visit(program);
  });

/** The conditions of writes in the files that a pattern matches. */
export const findConditions = (pattern: string): readonly Change[] => inFiles(pattern, conditionsIn);
