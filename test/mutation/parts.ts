import { tmpdir } from "node:os";
import { join } from "node:path";

export type Part = { readonly mutate: readonly string[]; readonly tests: readonly string[] };

/** Code as equivalent.json and the report of a run show it. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Nothing is written into the checkout. */
export const workplace = join(tmpdir(), "review-api-mutation");
export const reportFile = (part: string): string => join(workplace, "reports", `${part}.json`);

/** The mutated files, and the tests that must detect the mutants; these run once per mutant, so only fast ones. */
export const parts: Readonly<Record<string, Part>> = {
  cursor: {
    mutate: ["lib/http/cursors.ts", "lib/http/cursor-keys.ts"],
    tests: ["test/http/{cursors,cursor-binding,cursor-keys}.test.ts"],
  },
  limiter: {
    mutate: ["lib/access/rate-limiter.ts"],
    tests: ["test/access/rate-limiter{,-memory}.test.ts"],
  },
  policy: {
    mutate: ["lib/access/{policy,scope,principal,describe}.ts"],
    tests: ["test/access/{policy,scope,principal}.test.ts"],
  },
  "key-text": {
    mutate: ["lib/access/{base32,key-text}.ts"],
    tests: ["test/access/{key-text,forged-keys}.test.ts"],
  },
  authentication: {
    mutate: ["lib/access/authenticate.ts"],
    tests: ["test/access/authenticate.test.ts"],
  },
  keys: {
    mutate: ["lib/access/{create-key,key-registry,key-requirements,workspace-tokens,last-used}.ts"],
    tests: ["test/access/{key-registry,key-roles,key-rotation,workspace-tokens}.test.ts"],
  },
  "redaction-search": {
    mutate: [
      "lib/redaction/{rule,redact,spans,view,keywords,line-ranges,decoded,find-tokens,find-in-context,private-keys}.ts",
    ],
    tests: ["test/redaction/exact.test.ts"],
  },
  "redaction-assignments": {
    mutate: ["lib/redaction/{assignment-names,assignments,separators,sentences,tables}.ts"],
    tests: ["test/redaction/exact.test.ts"],
  },
  "redaction-values": {
    mutate: ["lib/redaction/{features,evidence,values,passphrases,placeholders,places,never}.ts"],
    tests: ["test/redaction/{exact,never}.test.ts"],
  },
  "redaction-appearance": {
    mutate: ["lib/redaction/{appearance,high-entropy}.ts"],
    tests: ["test/redaction/{appearance,exact}.test.ts"],
  },
  "redaction-mentions": {
    mutate: ["lib/redaction/mentions.ts"],
    tests: ["test/redaction/{mentions,classes}.test.ts"],
  },
  "redaction-rules": {
    mutate: ["lib/redaction/{rules-vendors,vendors,vendor-table,links}.ts"],
    tests: ["test/redaction/{exact,vendors}.test.ts"],
  },
  "redaction-context-rules": {
    mutate: ["lib/redaction/{rules-context,rules-commands}.ts"],
    tests: ["test/redaction/exact.test.ts"],
  },
  "stream-forms": {
    mutate: ["lib/stream/{size,pending,entry,head,weeks,merge}.ts"],
    tests: ["test/stream/{parts,weeks,merge,merge-asks}.test.ts"],
  },
  "stream-plans": {
    mutate: ["lib/stream/{plan,pointer,spill,stream,transaction}.ts"],
    tests: ["test/stream/{plan,transaction,spill}.test.ts"],
  },
  "stream-write": {
    mutate: ["lib/stream/{append,settle}.ts"],
    tests: ["test/stream/{attempts,settle,append}.test.ts", "test/mutation/simulation.check.ts"],
  },
  "stream-read": {
    mutate: ["lib/stream/read-page.ts"],
    tests: [
      "test/stream/read-page.test.ts",
      "test/stream/read-memory.test.ts",
      "test/mutation/simulation.check.ts",
    ],
  },
  "stream-upkeep": {
    mutate: ["lib/stream/{move,sweep,sweep-some,repair}.ts"],
    tests: ["test/stream/{upkeep,move,repair}.test.ts", "test/mutation/simulation.check.ts"],
  },
};

/** The rooms of lib of which a run of all parts makes a few changes that a seed draws: see `changes/run.ts`. */
export const drawnRooms = [
  "audit",
  "learnings",
  "mcp",
  "metrics",
  "mirror",
  "organizations",
  "people",
  "report",
  "security",
  "webhooks",
];
