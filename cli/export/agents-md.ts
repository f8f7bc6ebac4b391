import type { ResponseOf } from "../../lib/client/client.ts";
import { groupBy } from "../../lib/report/group-by.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";

/** Learnings as Markdown for AGENTS.md, the file in which coding agents look for a repository's rules. */
type Learning = ResponseOf<"listLearnings">["data"][number];

const marks = { begin: "<!-- review-api learnings: begin -->", end: "<!-- review-api learnings: end -->" };
const note =
  "<!-- Written by `review-api export learnings --format agents-md`. The next run replaces everything between the two marks. -->";

const sentence =
  "Rules that code reviews of this team have taught. Follow those that fit your change; a rule under a path is about that path.";

/** The most used ones, if there is no room for all. */
export const mostUsed = (learnings: readonly Learning[], limit: number | undefined): readonly Learning[] =>
  learnings.toSorted(byUse).slice(0, limit);

/** The part between the marks, with them: the same for the same Learnings, in whatever order they come. */
export function agentsPart(learnings: readonly Learning[]): string {
  const repositories = groupBy(learnings, (each) =>
    JSON.stringify([each.repository_name, each.provider, each.organization_id, each.repository_id]),
  );
  const sections = inOrder(repositories).map(([, ofRepository]) => repositorySection(ofRepository));
  return `${[marks.begin, note, "## What reviews have taught", sentence, ...sections, marks.end].join("\n\n")}\n`;
}

/** Rules for all files come first, then those about one path. */
function repositorySection(learnings: readonly Learning[]): string {
  const paths = inOrder(groupBy(learnings, ({ file }) => file ?? ""));
  const parts = paths.map(([path, ofPath]) => [
    ...(path === "" ? [] : [`#### \`${oneLine(path).replaceAll("`", "'")}\``]),
    ofPath.toSorted(byUse).map(listItem).join("\n"),
  ]);
  return [`### ${oneLine(learnings[0]?.repository_name ?? "")}`, ...parts.flat()].join("\n\n");
}

const inOrder = <Value>(groups: ReadonlyMap<string, Value>): Array<[string, Value]> =>
  [...groups].toSorted(([one], [other]) => compare(one, other));

/** The most used first. Uses are not written: a count that changes every day would change the file every day. */
const byUse = (one: Learning, other: Learning): number =>
  other.usage_count - one.usage_count ||
  compare(one.created_at, other.created_at) ||
  compare(one.id, other.id);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const listItem = ({ learning }: Learning): string => {
  const [first = "", ...others] = learning
    .trim()
    .split(/\r\n|\r|\n/)
    .map(harmless);
  return [`- ${first}`, ...others.map((line) => (line.trim() === "" ? "" : `  ${line}`))].join("\n");
};

const oneLine = (text: string): string => harmless(text.replaceAll(/\s+/g, " ").trim());

/** Quotes, list items and spaces: a heading can stand behind them. */
const beforeHeading = /^((?:\s|>|[-+*]\s|\d{1,9}[.)]\s)*)(#|=+\s*$|-+\s*$)/;

/**
 * The texts are written by people outside this file: a text can neither end the part, which HTML comments mark, nor
 * open a heading (`#`, a line of `=` or `-` under text, or HTML), which would put the next rules under it.
 */
const harmless = (line: string): string =>
  line
    .replaceAll("-->", "--&gt;")
    .replaceAll(/<(?=!|\?|\/?h[1-6]\b)/gi, "&lt;")
    .replace(beforeHeading, "$1\\$2");

/** The file with its part replaced, or added at its end. Everything outside the marks stays as it is. */
export function withAgentsPart(file: string, content: string, part: string): string {
  const [begins, ends] = [marks.begin, marks.end].map((mark) => content.split(mark).length - 1);
  if (begins === 0 && ends === 0) {
    const gap = content === "" ? "" : content.endsWith("\n") ? "\n" : "\n\n";
    return withLineEnds(content, `${content}${gap}${part}`);
  }
  const [begin, end] = [content.indexOf(marks.begin), content.indexOf(marks.end)];
  if (begins !== 1 || ends !== 1 || end < begin)
    throw new OperatorError(
      `${file} must have each of these marks once, in this order, or none: ${marks.begin} and ${marks.end}. Correct it by hand.`,
    );
  const after = content.slice(end + marks.end.length);
  return withLineEnds(content, `${content.slice(0, begin)}${part.trimEnd()}${after}`);
}

/** A file from Windows keeps its line ends, or every run would change it. */
const withLineEnds = (before: string, after: string): string =>
  before.includes("\r\n") ? after.replaceAll(/\r?\n/g, "\r\n") : after;
