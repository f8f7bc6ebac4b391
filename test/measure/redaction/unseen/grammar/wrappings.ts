import { makeFiller } from "../values/fillers.ts";
import type { Random } from "../values/random.ts";
import { joinLines, linesOf, plain, type Segment } from "../values/segments.ts";
import { type Half, halfOf } from "./carriers.ts";

/** What stands round a text when an engineer quotes it: comments, diffs, blame, HTML, escapes, prose. */
export type Wrapping = {
  readonly name: string;
  readonly half: Half;
  wrap(segments: readonly Segment[], random: Random): Segment[];
};

type Line = (line: readonly Segment[], index: number, random: Random) => Segment[];

const eachLine = (name: string, change: Line): Wrapping => ({
  name,
  half: halfOf(`wrapping/${name}`),
  wrap: (segments, random) => joinLines(linesOf(segments).map((line, index) => change(line, index, random))),
});

const prefixed = (name: string, prefix: string): Wrapping =>
  eachLine(name, (line) => [plain(prefix), ...line]);

const framed = (name: string, before: string, after: string): Wrapping => ({
  name,
  half: halfOf(`wrapping/${name}`),
  wrap: (segments) => [plain(before), ...segments, plain(after)],
});

const escaped = (
  name: string,
  before: string,
  change: (text: string) => string,
  after: string,
): Wrapping => ({
  name,
  half: halfOf(`wrapping/${name}`),
  wrap: (segments) => [
    plain(before),
    ...segments.map((segment) => ({ ...segment, text: change(segment.text) })),
    plain(after),
  ],
});

const jsonEscape = (text: string): string => JSON.stringify(text).slice(1, -1);
const htmlEscape = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign] ?? sign);

const fence = "`".repeat(3);

const paragraphs = [
  "The handler reads its options once, at start, and hands them to the functions that need them.",
  "Names follow the contract: one word for one thing, from the request to the log.",
  "A retry uses the same token of the request, so that a second write changes nothing.",
  "Dates are UTC, amounts are integers, and an unknown field is refused by name.",
  "The reviewer asked for a test that fails without the change; see the table in the guide.",
].join("\n\n");

export const wrappings: readonly Wrapping[] = [
  prefixed("slash comment", "// "),
  prefixed("hash comment", "# "),
  prefixed("sql comment", "-- "),
  prefixed("lisp comment", ";; "),
  prefixed("batch comment", "REM "),
  prefixed("batch label comment", ":: "),
  prefixed("block comment star", " * "),
  prefixed("latex comment", "% "),
  prefixed("basic comment", "' "),
  prefixed("rust doc comment", "/// "),
  prefixed("fortran comment", "! "),
  prefixed("roff comment", '.\\" '),
  prefixed("markdown quote", "> "),
  prefixed("mail quote", ">> "),
  prefixed("diff added", "+"),
  prefixed("diff removed", "-"),
  prefixed("diff context", " "),
  prefixed("indented four", "    "),
  prefixed("indented tab", "\t\t"),
  prefixed("javadoc indented", "     * "),
  prefixed("grep output", "config/app.conf:"),
  prefixed("shell trace", "+ "),
  prefixed("tree pipe", "│   "),
  eachLine("grep with numbers", (line, index) => [plain(`deploy/app.env:${index + 3}:`), ...line]),
  eachLine("cat -n", (line, index) => [plain(`${String(index + 1).padStart(6)}\t`), ...line]),
  eachLine("listing numbers", (line, index) => [plain(`${index + 41} | `), ...line]),
  eachLine("review numbers", (line, index) => [plain(`L${index + 7}: `), ...line]),
  eachLine("git blame", (line, index, random) => [
    plain(
      `${makeFiller("short", random)} (${random.pick(["Mei", "Sven", "Ola K."])} 2025-03-1${index % 10} 10:2${index % 10}:00 +0100 ${index + 12}) `,
    ),
    ...line,
  ]),
  eachLine("container log", (line, _index, random) => [
    plain(`${makeFiller("service", random)}-1  | `),
    ...line,
  ]),
  eachLine("timestamped log", (line, index) => [
    plain(`2025-06-0${(index % 9) + 1}T08:1${index % 10}:00Z INFO `),
    ...line,
  ]),
  eachLine("html break", (line) => [...line, plain("<br>")]),
  eachLine("crlf ends", (line) => [...line, plain("\r")]),
  eachLine("trailing blanks", (line) => [...line, plain("   ")]),
  framed("code fence", `Seen in the change:\n\n${fence}\n`, `\n${fence}\n\nPlease do not merge like this.`),
  framed("details block", "<details><summary>config</summary>\n\n", "\n\n</details>"),
  framed("pre element", "<pre>", "</pre>"),
  framed(
    "prose around",
    "For the record, this is what the pipeline printed:\n\n",
    "\n\nWe should mend that before the release.",
  ),
  framed("jira code block", "{code}\n", "\n{code}"),
  framed("sphinx literal", "Example::\n\n", "\n\nSee the guide."),
  framed("c block comment", "/*\n", "\n*/"),
  framed("html comment", "<!--\n", "\n-->"),
  framed("haskell comment", "{-\n", "\n-}"),
  framed("python docstring", '"""\n', '\n"""'),
  framed("powershell comment", "<#\n", "\n#>"),
  framed("chat mention", "@here look: ", " (from the staging box)"),
  framed("long text before", `${paragraphs}\n\n`, ""),
  framed("long text after", "", `\n\n${paragraphs}`),
  framed("long text around", `${paragraphs}\n\n`, `\n\n${paragraphs}`),
  framed(
    "confluence macro",
    '<ac:structured-macro ac:name="code"><ac:plain-text-body>',
    "</ac:plain-text-body></ac:structured-macro>",
  ),
  framed("mail signature", "Hi all,\n\n", "\n\n-- \nBest regards\nPlatform team"),
  framed("org source block", "#+BEGIN_SRC\n", "\n#+END_SRC"),
  framed("asciidoc listing", "----\n", "\n----"),
  framed("console prompt", "root@box:~# cat app.conf\n", "\nroot@box:~#"),
  framed(
    "pull request template",
    "## What\nMoves the settings.\n\n## How\n",
    "\n\n## Checks\n- [x] tests\n- [ ] docs",
  ),
  framed("suggestion", `${fence}suggestion\n`, `\n${fence}`),
  escaped("json string", '{"message":"', jsonEscape, '"}'),
  escaped("html text", "<p>", htmlEscape, "</p>"),
  escaped("json twice", '{"body":"{\\"text\\":\\"', (text) => jsonEscape(jsonEscape(text)), '\\"}"}'),
];

/** How often a text stands in a wrapping at all, and how often that wrapping stands in a second one. */
const wrappedShare = 0.35;
const wrappedTwiceShare = 0.15;

export function wrapSometimes(segments: readonly Segment[], half: Half, random: Random): Segment[] {
  const choices = wrappings.filter((wrapping) => wrapping.half === half);
  const wrap = (inner: readonly Segment[]): Segment[] => random.pick(choices).wrap(inner, random);
  if (!random.chance(wrappedShare)) return [...segments];
  return random.chance(wrappedTwiceShare) ? wrap(wrap(segments)) : wrap(segments);
}
