export type Part = { readonly mutate: readonly string[]; readonly tests: readonly string[] };

/** What is mutated, and the tests that must notice; they run once per mutant, so only fast ones. */
export const parts: Readonly<Record<string, Part>> = {
  cursor: {
    mutate: ["lib/http/cursors.ts", "lib/http/cursor-keys.ts"],
    tests: ["test/http/cursors.test.ts", "test/http/cursor-keys.test.ts"],
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
  keys: {
    mutate: ["lib/access/{authenticate,key-registry,key-requirements,workspace-tokens,last-used}.ts"],
    tests: ["test/access/{authenticate,key-registry,workspace-tokens}.test.ts"],
  },
  redaction: {
    mutate: ["lib/learnings/redaction/**/*.ts"],
    tests: ["test/learnings/redaction/{judged,redact}.test.ts"],
  },
  "stream-forms": {
    mutate: ["lib/stream/{size,pending,entry,head,weeks,merge}.ts"],
    tests: ["test/stream/{parts,weeks,merge,merge-asks}.test.ts"],
  },
  stream: {
    mutate: ["lib/stream/{append,move,plan,pointer,read,repair,settle,spill,stream,sweep,transaction}.ts"],
    tests: ["test/stream/**/*.test.ts", "test/mutation/simulation.check.ts"],
  },
};
