import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as kinds from "../../../lib/contract/items.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

const folders = ["lib", "functions", "cli"];
const notCovered = [
  // Simulates AWS on a laptop: its own calls are behind the calls that get faults here.
  "lib/local/",
  // Observes from outside, and removes leftovers of its own interrupted runs: test/system/cli/verify.test.ts interrupts one.
  "lib/checks/service/",
];

/** Every request passes these files; their callers are the places that get faults. */
const machinery = new Set([
  "lib/runtime/aws-client.ts",
  "lib/events/bounded.ts",
  "lib/store/bounded.ts",
  "lib/store/client.ts",
  "lib/store/create-table.ts",
  "lib/store/dynamo.ts",
  "lib/store/table.ts",
  "lib/store/vectors.ts",
  "lib/access/admission.ts",
  "lib/store/write-requests.ts",
  "lib/events/sqs.ts",
  "lib/events/sqs-client.ts",
  "lib/events/s3.ts",
  "lib/events/s3-client.ts",
  "lib/index/bedrock-embedder.ts",
  "lib/index/bedrock-client.ts",
  "lib/operator/paced-queue.ts",
  // Only counts calls.
  "cli/commands/repair.ts",
]);

/** The name of each port wherever it is passed on, so that its calls are found by that name. */
const portNames: Readonly<Record<string, readonly string[]>> = {
  Table: ["table", "triesTable"],
  MeteredTable: ["table"],
  VectorSearch: ["vectors"],
  EventBucket: ["bucket"],
  EventQueue: ["queue"],
  DeadLetterQueue: ["deadLetters"],
  Embedder: ["embedder", "localEmbedder", "known"],
  SqsCall: ["call"],
};
const names = "table|vectors|bucket|deadLetters|queue|embedder";

/**
 * A call of the store, the queue, the bucket or the embedder, as written; a method name that only ports have counts on
 * any object.
 */
const call = new RegExp(
  [
    `\\b(?:${names})\\s*\\??\\.\\s*(?=(?:get|write|search|put|send|embed)\\()`,
    "\\.\\s*(?=(?:getMany|transactGet|queryPage|scanPage|transact|writeMany)\\()",
    "\\b(?=(?<!function\\*? )(?:queryAll|queryPages|queryUpTo|readFew|writeIf|transactIf)\\()",
    '(?=\\bcall\\("[A-Z]\\w+")',
  ].join("|"),
  "g",
);

type StruckElsewhere = {
  readonly test: string;
  /** What the call asks of the table; the operator's own calls have no role. */
  readonly asks?: {
    readonly action: string;
    readonly partition: string;
    readonly inTransaction?: true;
  };
};

const entry = { action: "PutItem", partition: "AUDIT#o#0a1b#2026-11", inTransaction: true } as const;

/** Calls that no scenario makes, by name, and the test that makes them fail. */
export const struckElsewhere: Readonly<Record<string, StruckElsewhere>> = {
  "lib/learnings/create.ts recordLateFailures transact": {
    test: "test/proofs/learnings/store-faults.test.ts",
    asks: entry,
  },
  "lib/stream/spill.ts isUsable get": {
    test: "test/stream/spill-again.test.ts",
    asks: { action: "GetItem", partition: kinds.spill.key({ organization: "0a1b", spillId: "0a1b" }).pk },
  },
  "lib/webhooks/manage.ts recordSuccess write": {
    test: "test/proofs/webhooks/recovery.test.ts",
    asks: { action: "UpdateItem", partition: kinds.webhook.partition({ shard: 7 }) },
  },
  "lib/stream/mend.ts #keepSpills transactIf": { test: "test/stream/repair-online.test.ts" },
};

export type WrittenSite = {
  /** `file:line:column` of the method's name. */
  readonly id: string;
  /** `file function method`, and which of several: does not change when lines move. */
  readonly name: string;
  /** It requests more than the first page. */
  readonly isPaging: boolean;
};

type Source = { readonly file: string; readonly text: string };

const sources: readonly Source[] = folders.flatMap((folder) =>
  readdirSync(`${root}${folder}`, { recursive: true })
    .map((file) => `${folder}/${String(file).replaceAll("\\", "/")}`)
    .filter(
      (file) =>
        /(?<!\.d)\.ts$/.test(file) &&
        !machinery.has(file) &&
        !notCovered.some((folder) => file.startsWith(folder)),
    )
    .toSorted()
    .map((file) => ({ file, text: readFileSync(`${root}${file}`, "utf8") })),
);

/** Every call in the source, so that a new call is known before a scenario makes it. */
export const writtenSites: readonly WrittenSite[] = sources.flatMap(({ file, text }) => {
  const times = new Map<string, number>();
  return [...text.matchAll(call)].map(({ index, 0: { length } }) => {
    const start = index + length;
    const [, method = "", given = ""] = /^(\w+)\(([^)]*\))?/.exec(text.slice(start)) ?? [];
    const name = `${file} ${functionAround(text, start)} ${method}`;
    times.set(name, (times.get(name) ?? 0) + 1);
    return {
      id: `${file}:${placeOf(text, start)}`,
      name: times.get(name) === 1 ? name : `${name} ${times.get(name)}`,
      isPaging:
        /^query(?:All|Pages)$/.test(method) ||
        (/^(?:query|scan)Page$/.test(method) && /\bresume\)$/.test(given)),
    };
  });
});

export const namesBySite: ReadonlyMap<string, string> = new Map(
  writtenSites.map(({ id, name }) => [id, name]),
);

/** The last function that begins above, at the margin or as a method. */
function functionAround(text: string, index: number): string {
  const begun = /^(?:export )?(?:async )?(?:function\*? |const )(\w+)|^ {2}(?:async )?(#?\w+)\(.*\{$/gm;
  const last = [...text.slice(0, index).matchAll(begun)].at(-1);
  return last?.[1] ?? last?.[2] ?? "";
}

/** Line and column in the form of a stack trace. */
function placeOf(text: string, index: number): string {
  const lines = text.slice(0, index).split("\n");
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
}

const declared = new RegExp(`(\\w+)\\??: (${Object.keys(portNames).join("|")})\\b`, "g");
const renamed = [
  new RegExp(`\\b(?:const|let) \\w+(?:: \\w+)? = (?:await )?(?:\\w+(?:\\(\\))?\\.)*(?:${names});`, "g"),
  new RegExp(`\\{[^{}]*\\b(?:${names}): [a-z]\\w*[^{}]*\\}(?= = |: )`, "g"),
];

/** Places where a port gets another name, under which its calls would not be found. */
export const portsUnderOtherNames: readonly string[] = sources.flatMap(({ file, text }) => {
  const misnamed = [...text.matchAll(declared)].filter(
    ([, name = "", port = ""]) => !portNames[port]?.includes(name),
  );
  return [...misnamed, ...renamed.flatMap((form) => [...text.matchAll(form)])].map(
    ({ index, 0: words }) => `${file}:${placeOf(text, index)} ${words}`,
  );
});
