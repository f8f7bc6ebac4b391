import { hash } from "node:crypto";
import type { Fields } from "../layout.ts";
import { digestBytes } from "./digest-map.ts";

/** Which fields tell two things of a dataset apart. */
export type Identity = {
  /** Unique within an organization. */
  readonly thing: string;
  /** The fields that name the organization; none where a thing is unique by itself. */
  readonly organization: readonly string[];
};

/** Digests instead of texts: all of one size, whatever a provider calls its things. */
export type Digests = { readonly thing: Buffer; readonly organization: Buffer };

export function digestsOf(identity: Identity, fields: Fields): Digests {
  const organization = identity.organization.map((name) => fields[name]);
  return { thing: digestOf([...organization, fields[identity.thing]]), organization: digestOf(organization) };
}

export const organizationDigestOf = (identity: Identity, fields: Fields): Buffer =>
  digestOf(identity.organization.map((name) => fields[name]));

const digestOf = (values: readonly unknown[]): Buffer =>
  hash("sha256", JSON.stringify(values), "buffer").subarray(0, digestBytes);

export const identityFields = ({ thing, organization }: Identity): readonly string[] => [
  ...organization,
  thing,
];
