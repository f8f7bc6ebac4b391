import * as z from "zod";
import { digestBytes } from "./digest-map.ts";
import { type Disk, readFilePieces, readFileRows } from "./disk.ts";
import { type Digests, digestsOf, organizationDigestOf, type RecordIdentity } from "./identity.ts";
import type { RecordFields } from "./layout.ts";

/** A pull request that is too large for any answer: only its name is known. */
export const tooLargeSchema = z.strictObject({
  pr_url: z.string(),
  provider: z.string(),
  organization_id: z.string(),
});
export type TooLargePullRequest = z.output<typeof tooLargeSchema>;

/** The changes of a page, in its order. */
export type MirrorChange =
  /** `json`: the record as received. */
  | { readonly kind: "written"; readonly fields: RecordFields; readonly json: string }
  | { readonly kind: "removed"; readonly fields: RecordFields }
  /** A whole organization. */
  | { readonly kind: "left"; readonly fields: RecordFields }
  | { readonly kind: "too-large"; readonly fields: TooLargePullRequest };

export type JournalEntry = Digests & {
  readonly kind: MirrorChange["kind"];
  /** Its position in the journal. */
  readonly at: number;
  /** The record that was written, or the name of the pull request that is too large. */
  json(): string;
};

/** In the journal a kind is its first letter. */
const kinds = ["written", "removed", "left", "too-large"] as const satisfies Array<MirrorChange["kind"]>;

export const journalFile = (output: string): string => `${output}.journal`;

const digestLetters = digestBytes * 2;
const headLetters = 1 + 2 * digestLetters;
const nothing = Buffer.alloc(digestBytes);

/** One line per change: a letter, two digests, then JSON, which contains no line break. */
function lineOf(identity: RecordIdentity, change: MirrorChange): string {
  const { thing, organization } = digestsOfChange(identity, change);
  const tooLarge = change.kind === "too-large" ? JSON.stringify(change.fields) : "";
  const json = change.kind === "written" ? change.json : tooLarge;
  return `${change.kind[0]}${thing.toString("hex")}${organization.toString("hex")}${json}\n`;
}

function digestsOfChange(identity: RecordIdentity, change: MirrorChange): Digests {
  return change.kind === "left"
    ? { thing: nothing, organization: organizationDigestOf(identity, change.fields) }
    : digestsOf(identity, change.fields);
}

export type Journal = {
  readonly bytes: number;
  /** The changes are on the disk when this returns. */
  add(changes: readonly MirrorChange[]): Promise<void>;
  close(): Promise<void>;
};

/** Continues after `bytes`: what an interrupted process wrote after that may be incomplete. */
export async function openJournal(
  disk: Disk,
  output: string,
  identity: RecordIdentity,
  bytes: number,
): Promise<Journal> {
  // The owner's records: only the owner may read them here.
  const file = await disk.openAt(journalFile(output), bytes, 0o600);
  let place = bytes;
  return {
    get bytes() {
      return place;
    },
    async add(changes) {
      if (changes.length === 0) return;
      const lines = Buffer.concat(changes.map((change) => Buffer.from(lineOf(identity, change))));
      await file.write(lines);
      await file.sync();
      place += lines.length;
    },
    close: () => file.close(),
  };
}

export async function* entriesOf(output: string, bytes: number): AsyncGenerator<JournalEntry> {
  for await (const { row, at } of readFileRows(readFilePieces(journalFile(output), bytes), false)) {
    const letter = row.toString("latin1", 0, 1);
    const kind = kinds.find((each) => each[0] === letter);
    if (kind === undefined) throw new Error(`${journalFile(output)} is damaged at byte ${at}.`);
    const digest = (start: number) =>
      Buffer.from(row.toString("latin1", start, start + digestLetters), "hex");
    yield {
      kind,
      at,
      thing: digest(1),
      organization: digest(1 + digestLetters),
      json: () => row.toString("utf8", headLetters),
    };
  }
}
