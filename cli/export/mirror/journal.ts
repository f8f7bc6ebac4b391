import * as z from "zod";
import { type LargePullRequest, namePullRequest } from "../../../lib/contract/sentences.ts";
import { type Disk, piecesOf, rowsOf } from "../disk.ts";
import type { Fields } from "../layout.ts";
import { digestBytes } from "./digest-map.ts";
import { type Digests, digestsOf, type Identity, organizationDigestOf } from "./identity.ts";

/** A pull request that is too large for any answer: only its name is known. */
export const tooLargeSchema = z.strictObject({
  pr_url: z.string(),
  provider: z.string(),
  organization_id: z.string(),
});
export type TooLarge = z.output<typeof tooLargeSchema>;

export const tooLargeOf = ({ prUrl, provider, organizationId }: LargePullRequest): TooLarge => ({
  pr_url: prUrl,
  provider,
  organization_id: organizationId,
});

export const nameOfTooLarge = ({ pr_url, provider, organization_id }: TooLarge): string =>
  namePullRequest({ prUrl: pr_url, provider, organizationId: organization_id });

/** The changes of a page, in its order. */
export type Change =
  /** `json`: the record as received. */
  | { readonly kind: "written"; readonly fields: Fields; readonly json: string }
  | { readonly kind: "removed"; readonly fields: Fields }
  /** A whole organization. */
  | { readonly kind: "left"; readonly fields: Fields }
  | { readonly kind: "too-large"; readonly fields: TooLarge };

export type Entry = Digests & {
  readonly kind: Change["kind"];
  /** Its position in the journal. */
  readonly at: number;
  /** The record that was written, or the name of the pull request that is too large. */
  json(): string;
};

const letters = { written: "w", removed: "r", left: "l", "too-large": "t" } as const;
const kinds: ReadonlyMap<string, Change["kind"]> = new Map([
  ["w", "written"],
  ["r", "removed"],
  ["l", "left"],
  ["t", "too-large"],
]);

export const journalFile = (output: string): string => `${output}.journal`;

const digestLetters = digestBytes * 2;
const headLetters = 1 + 2 * digestLetters;
const nothing = Buffer.alloc(digestBytes);

/** One line per change: a letter, two digests, then JSON, which contains no line break. */
function lineOf(identity: Identity, change: Change): string {
  const { thing, organization } = digestsOfChange(identity, change);
  const json =
    change.kind === "written"
      ? change.json
      : change.kind === "too-large"
        ? JSON.stringify(change.fields)
        : "";
  return `${letters[change.kind]}${thing.toString("hex")}${organization.toString("hex")}${json}\n`;
}

function digestsOfChange(identity: Identity, change: Change): Digests {
  return change.kind === "left"
    ? { thing: nothing, organization: organizationDigestOf(identity, change.fields) }
    : digestsOf(identity, change.fields);
}

export type Journal = {
  readonly bytes: number;
  /** The changes are on the disk when this returns. */
  add(changes: readonly Change[]): Promise<void>;
  close(): Promise<void>;
};

/** Continues after `bytes`: what an interrupted process wrote after that may be incomplete. */
export async function openJournal(
  disk: Disk,
  output: string,
  identity: Identity,
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

export async function* entriesOf(output: string, bytes: number): AsyncGenerator<Entry> {
  for await (const { row, at } of rowsOf(piecesOf(journalFile(output), bytes), false)) {
    const kind = kinds.get(row.toString("latin1", 0, 1));
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
