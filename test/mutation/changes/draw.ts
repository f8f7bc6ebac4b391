import { createHash } from "node:crypto";
import { Visitor } from "vite";
import { type Change, changesOf, inFiles } from "./change.ts";

const comparisons = new Map([
  ["===", "!=="],
  ["!==", "==="],
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
]);
const selecting = ["filter", "slice", "toSorted", "toReversed"];

/** Small changes as a person makes them by mistake: of a decision, of a bound, of a step that is forgotten. */
export const smallChangesIn = (file: string, source: string): readonly Change[] =>
  changesOf(file, source, (program, add) => {
    const text = ({ start, end }: { start: number; end: number }) => source.slice(start, end);
    new Visitor({
      IfStatement: ({ test }) => add(test, `!(${text(test)})`),
      ConditionalExpression: ({ test }) => add(test, `!(${text(test)})`),
      LogicalExpression(node) {
        const { left, right, operator } = node;
        if (operator === "??") add(node, `(${text(left)})`);
        else add(node, `((${text(left)}) ${operator === "&&" ? "||" : "&&"} (${text(right)}))`);
      },
      BinaryExpression(node) {
        const { left, right, operator } = node;
        const other = comparisons.get(operator);
        if (other !== undefined) add(node, `(${text(left)} ${other} ${text(right)})`);
        if (
          (operator === "+" || operator === "-") &&
          right.type === "Literal" &&
          typeof right.value === "number"
        )
          add(node, `(${text(left)})`);
      },
      ExpressionStatement(node) {
        const { type } = node.expression;
        if (type === "AwaitExpression" || type === "CallExpression" || type === "AssignmentExpression")
          add(node, ";", { kind: "statement" });
      },
      CallExpression(node) {
        const { callee, arguments: given } = node;
        if (callee.type === "MemberExpression" && callee.property.type === "Identifier")
          if (selecting.includes(callee.property.name)) add(node, `(${text(callee.object)})`);
        const [one, next] = given;
        if (given.length === 2 && one?.type === "Identifier" && next?.type === "Identifier")
          add(node, `${source.slice(node.start, one.start)}${text(next)}, ${text(one)})`);
      },
    }).visit(program);
  });

/** A number of small changes of a room. A seed draws the same ones again, also after most changes of the code. */
export function drawChanges(room: string, seed: string, count: number): readonly Change[] {
  const rankOf = ({ file, code, becomes }: Change) =>
    createHash("sha256").update([seed, file, code, becomes].join("\0")).digest("hex");
  return inFiles(`lib/${room}/**/*.ts`, smallChangesIn)
    .map((change) => ({ change, rank: rankOf(change) }))
    .toSorted((one, other) => (one.rank < other.rank ? -1 : 1))
    .slice(0, count)
    .map(({ change }) => change);
}
