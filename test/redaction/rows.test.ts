import { expect, it, vi } from "vitest";
import { finders } from "../../lib/redaction/finders.ts";
import { redact } from "../../lib/redaction/redact.ts";
import { separators } from "../../lib/redaction/separators.ts";
import { bridges, nameEnds } from "./exact/assignments.ts";
import { highEntropy } from "./exact/high-entropy.ts";
import { privateKeys } from "./exact/private-keys.ts";
import { cloud, headers, statements, urls } from "./exact/rules.ts";
import { contexts, tokens } from "./exact/tokens.ts";
import { values } from "./exact/values.ts";
import { vendorKeys } from "./exact/vendors.ts";
import { secretSamples } from "./samples/read.ts";
import { exactSample } from "./samples/template.ts";

/** Without the last search, which needs no name right before the value: see mentions.test.ts. */
vi.mock("../../lib/redaction/mentions.ts", () => ({
  mentions: { kinds: [], keywords: [], find: () => [] },
}));

const exact = [
  bridges,
  nameEnds,
  highEntropy,
  privateKeys,
  cloud,
  headers,
  statements,
  urls,
  contexts,
  tokens,
  values,
  vendorKeys,
];
const account = Buffer.from(
  `{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----"}`,
).toString("base64");
/** For rows that no exact example and no sample needs. */
const further = [
  `key.json: ${account}`,
  "seed phrase: «seed_phrase|walnut cinder velvet zephyr bounce evolve castle fiscal pelican lantern marble orchid»",
  "wallet «wallet_key|{hex:64}»",
  'mnemonic = ["«seed_phrase|ladder", "orbit", "tomato", "velvet", "cabin", "thrive", "museum", "pistol", "quantum", "ribbon", "salad", "echo»"]',
  "ssh-keygen -N «cli_password|bluebird» -f key",
  "sqlplus app/«cli_password|bluebird»@db",
  "lftp -u anna,«cli_password|bluebird» files",
  "alter user app identified by «password|bluebird»",
  '[("anna@example.com", "«password|bluebird»")] are the logins',
  "INSERT INTO users (id, password) VALUES (7, '«password|bluebird»')",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a hash
  "ops:«password_hash|$2b$12${alnum:53}»",
  "\nkind: Secret\ndata:\n  config: «secret|S2V0dGxlNDIhcml2ZXI=»",
  "gh secret set DB_PASSWORD -b«cli_password|bluebird77»",
  "WIFI:S:guests;T:WPA;P:«password|Bluebird77»;;",
  "the door code is «pin|482-915»",
  "pin for the tablet?\nbob: «pin|2580»",
  "(the printer admin page takes «pin|33917740» as password btw)",
  "const t = [«secret|'rsQjeJa8Crcv', 'k4KGAlFiIhTc', 'n395D3R3fwUd'»].join('')",
  "COPY users (id, password) FROM stdin;\n1\t«password|duneMirror»\n",
  "Logins\nanna_1: «password|duneMirror»",
  "signing_keys:\n  - k1: «secret|{hex:32}»",
  "app password «app_password|ofap pklv dkyc rwod»",
  "aws key leaked: «aws_secret_key|{base64:39}+»",
  'Content-Disposition: form-data; name="password"\n\n«password|bluebird7»',
  "##vso[task.setvariable variable=db_password]«password|bluebird77»",
  "API 키(«api_key|{hex:32}»)가",
  "the logon is scott/«password|tzmcI3-Mxot»@CLONE1",
  "function dbPassword() {\n  return '«password|kestrel99»';\n}",
  "credentials { username 'sa'; password '«password|YYUVJ;sn2yD9;sk»' }",
];
const examples = [
  ...[...exact.flatMap((guarantees) => Object.values(guarantees).flat()), ...further].map(
    (each) => exactSample(each).text,
  ),
  ...secretSamples("development", "1").map(({ text }) => text),
];

/** A row that can be watched and turned off. */
interface Row {
  readonly name: string;
  readonly spy: () => {
    readonly hasFound: () => boolean;
    readonly off: () => void;
    readonly restore: () => void;
  };
}

const finderRows = finders
  .filter(({ kinds }) => kinds.length > 0)
  .map((finder): Row => {
    const [kind] = finder.kinds;
    const source = kind && "pattern" in kind && kind.pattern instanceof RegExp ? kind.pattern.source : "";
    return {
      name: `${kind?.kind} ${source.slice(0, 80)}`,
      spy: () => {
        const find = vi.spyOn(finder, "find");
        return {
          hasFound: () => find.mock.results.some(({ value }) => Array.isArray(value) && value.length > 0),
          off: () => find.mockReturnValue([]),
          restore: () => find.mockRestore(),
        };
      },
    };
  });
const separatorRows = separators.map(
  ({ pattern, link = "" }): Row => ({
    name: `${link} ${pattern.source.slice(0, 80)}`,
    spy: () => {
      const test = vi.spyOn(pattern, "test");
      return {
        hasFound: () => test.mock.results.some(({ value }) => value === true),
        off: () => test.mockReturnValue(false),
        restore: () => test.mockRestore(),
      };
    },
  }),
);

it.each([
  ["finder", finderRows],
  ["separator", separatorRows],
] as const)(
  "every %s has an example that is redacted otherwise without it",
  { timeout: 300_000 },
  (_, rows) => {
    const before = examples.map((text) => redact(text).text);
    /** Which examples each row finds something in. */
    const found = new Map(rows.map((row) => [row, new Set<number>()]));
    const watched = rows.map((row) => ({ row, spy: row.spy() }));
    for (const [index, text] of examples.entries()) {
      vi.clearAllMocks();
      redact(text);
      for (const { row, spy } of watched) if (spy.hasFound()) found.get(row)?.add(index);
    }
    for (const { spy } of watched) spy.restore();
    const superfluous = rows.filter((row) => {
      const spy = row.spy();
      spy.off();
      const isNeeded = [...(found.get(row) ?? [])].some(
        (index) => redact(examples[index] ?? "").text !== before[index],
      );
      spy.restore();
      return !isNeeded;
    });
    expect(superfluous.map(({ name }) => name)).toEqual([]);
  },
);
