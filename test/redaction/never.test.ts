import { afterEach, describe, expect, it, vi } from "vitest";
import { clearMemoized } from "../../lib/redaction/memoize.ts";
import {
  isNeverBehind,
  isNeverMentioned,
  isNeverNamed,
  isRefused,
  neverBehind,
  nevers,
  type Where,
} from "../../lib/redaction/never.ts";
import { isReference, references } from "../../lib/redaction/placeholders.ts";

/** One value for each row. Only this row refuses it, at the first place where the row counts. */
const examples: Readonly<Record<string, string>> = {
  "sentence in a script without spaces": "合言葉を忘れた",
  type: "varchar-64x",
  "number or version": "v2.14.3b",
  "number with a unit": "640MiB",
  date: "2024-05-01",
  "place in memory": "0x7ffd3c1a2b90",
  option: "--dry-run",
  style: "input{color:red}",
  "member of code": "AuthType.IAM_AUTH",
  class: "Ed25519PublicKey",
  address: "https:bluebird4821",
  "program and its version": "okhttp/4.12",
  "mail address": "anna.k@shop.example",
  path: "./bluebird-4821",
  "constant of code": "AUTH_MODE_2",
  pattern: "blue\\d",
  algorithm: "hmac-sha256-cbc",
  "word for a credential": "clave",
  "image, file or function": "acme/auth:43537b1",
  "stand-in or reference": "changeme",
  "several words": "Blue bird sings",
  "word for a type": "checkbox",
  "state of a password": "expired",
  "function word": "instead",
  code: "config.lookup(bluebird)",
  "word of another script": "черника",
  "label of a form": "Bestätigung",
  "name of a credential": "orders-db-password",
  "public value": "pk_bluebird",
  placeholder: "changeme",
  product: "Neo4jX",
  field: "retries=3x",
  "id of a key": "3AA5C34371567BD2",
  "words in base64": "aGVsbG8gd29ybGQ=",
  "variable, path or parameter": "#bluebird4821",
  "id of a trace, header or advisory": "GHSA-7f9c-2k4m-x8q1",
  "ticket, time or sum": "SHOP-4821",
  "words around a sign": "created_at#id",
  "range or example": "xa-zx4",
};
/** The text right before a value, for each row. */
const leads: Readonly<Record<string, string>> = {
  id: "the trace ",
  digest: 'etag: "',
  "version, place or name of something": "on the branch ",
  user: "customer: ",
  "key of a table or a cache": "Idempotency-Key: ",
  "encrypted value": "ENC[AES256_GCM,data:",
  "part of a name or of code": "std::",
};
/** Something that stands for a credential, for each form of a reference. */
const written = [
  "$" + "{var.db}#",
  ":?missing}",
  "{{ db }}",
  "$(cat file)",
  "($" + "{NAME})",
  "$" + "{DB[1",
  "<your-word>",
  "%DB_WORD%",
  "@db_word@",
  "@Microsoft.KeyVault(SecretUri)",
  "__NAME__",
  "redis://cache",
  "required|min:12",
  "pass show work/ldap",
  "alt+r",
  "!Ref DbWord",
  "*anchor",
  "&[u8]",
  "vault:db/word",
  "lookup('db')",
  "process.env.DB",
];

const judges: Readonly<Record<Where, (text: string) => boolean>> = {
  place: (text) => isRefused({ text, isQuoted: false }),
  name: isNeverNamed,
  words: isNeverMentioned,
};

describe("what is never a credential", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    clearMemoized();
  });

  it("every row has an example, and every example a row", () => {
    expect(nevers.map(({ is }) => is).toSorted()).toEqual(Object.keys(examples).toSorted());
    expect(neverBehind.map(({ is }) => is).toSorted()).toEqual(Object.keys(leads).toSorted());
  });

  it.each(nevers.map((row) => [row.is, row] as const))(
    "the row `%s` alone refuses its example",
    (name, row) => {
      const text = examples[name] ?? "";
      const where = row.only?.[0] ?? "name";
      expect(judges[where](text)).toBe(true);
      clearMemoized();
      vi.spyOn(row, "test").mockReturnValue(false);
      expect(judges[where](text)).toBe(false);
    },
  );

  it.each(neverBehind.map((row) => [row.is, row] as const))(
    "the row `%s` alone refuses what is behind it",
    (name, row) => {
      expect(isNeverBehind(leads[name] ?? "")).toBe(true);
      vi.spyOn(row.before, "test").mockReturnValue(false);
      expect(isNeverBehind(leads[name] ?? "")).toBe(false);
    },
  );

  it("every form of a reference has an example that no other form knows", () => {
    const needed = references.filter((reference) => {
      const off = vi.spyOn(reference, "test").mockReturnValue(false);
      const isNeeded = written.some((text) => !isReference(text));
      off.mockRestore();
      return isNeeded;
    });
    expect(written.filter((text) => !isReference(text))).toEqual([]);
    expect(references.filter((reference) => !needed.includes(reference)).map(({ source }) => source)).toEqual(
      [],
    );
  });
});
