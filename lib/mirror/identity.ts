import { createHash, hash } from "node:crypto";
import { digestBytes } from "./digest-map.ts";
import type { RecordFields } from "./layout.ts";

/** The fields that identify a thing of a dataset. */
export type RecordIdentity = {
  /** Unique within an organization. */
  readonly thing: string;
  /** The fields that name the organization; empty if a thing is unique by itself. */
  readonly organization: readonly string[];
};

/** Digests instead of texts: all have the same size, however long a provider's names are. */
export type Digests = { readonly thing: Buffer; readonly organization: Buffer };

export function digestsOf(identity: RecordIdentity, fields: RecordFields): Digests {
  const organization = identity.organization.map((name) => fields[name]);
  return { thing: digestOf([...organization, fields[identity.thing]]), organization: digestOf(organization) };
}

export const organizationDigestOf = (identity: RecordIdentity, fields: RecordFields): Buffer =>
  digestOf(identity.organization.map((name) => fields[name]));

/** A thing with the content of its rows: equal digests mean that the thing is unchanged. */
export const contentDigestOf = (thing: Buffer, rows: readonly (Buffer | string)[]): Buffer => {
  const digest = createHash("sha256").update(thing);
  for (const row of rows) digest.update("\n").update(row);
  return digest.digest().subarray(0, digestBytes);
};

const digestOf = (values: readonly unknown[]): Buffer =>
  hash("sha256", JSON.stringify(values), "buffer").subarray(0, digestBytes);

export const identityFields = ({ thing, organization }: RecordIdentity): readonly string[] => [
  ...organization,
  thing,
];
