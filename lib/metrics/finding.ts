import {
  type Category,
  type CommentsRecord,
  categories,
  type Severity,
  severities,
} from "../contract/records-metrics.ts";

export type ReviewFinding = {
  readonly severity: Severity | null;
  readonly category: Category | null;
  readonly accepted: boolean | null;
};

const acceptances = [null, false, true] as const;
const severitiesOrNull = [null, ...severities] as const;
const categoriesOrNull = [null, ...categories] as const;

/** Two characters for all three values. Every entry stores them, so the lists may only grow at their end. */
export const codeOf = ({ severity, category, accepted }: ReviewFinding): string => {
  const first = severitiesOrNull.indexOf(severity) * acceptances.length + acceptances.indexOf(accepted);
  return first.toString(36) + categoriesOrNull.indexOf(category).toString(36);
};

/** The code's two bytes as one number. */
export const codeNumber = (bytes: Uint8Array, at = 0): number =>
  (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);

type Comment = CommentsRecord["coderabbit_comments"][number];

/** The JSON of a finding, before and after its URL. */
function jsonAround(finding: ReviewFinding): readonly [before: string, after: string] {
  const comment: Comment = { url: "", ...finding };
  const text = JSON.stringify(comment);
  const urlStart = text.indexOf('""') + 1;
  return [text.slice(0, urlStart), text.slice(urlStart)];
}

/** The JSON that precedes a finding's URL, with its opening quote. */
export const [beforeUrl] = jsonAround({ severity: null, category: null, accepted: null });

/** The JSON that follows a finding's URL, from its closing quote, by code. There are few, so each is built once. */
export const tailsByCode: ReadonlyMap<number, Uint8Array> = new Map(
  severitiesOrNull.flatMap((severity) =>
    categoriesOrNull.flatMap((category) =>
      acceptances.map((accepted) => {
        const finding = { severity, category, accepted };
        const [, after] = jsonAround(finding);
        return [codeNumber(Buffer.from(codeOf(finding))), Buffer.from(after)] as const;
      }),
    ),
  ),
);
