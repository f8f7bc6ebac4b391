import type * as z from "zod";
import type { Operation } from "../contract/operation.ts";
import { keyRequestWords } from "../contract/operations/keys.ts";
import { learningRequestWords } from "../contract/operations/learnings.ts";
import { searchWords } from "../contract/operations/learnings-search.ts";
import { roleRequestWords } from "../contract/operations/roles.ts";
import { userRequestWords } from "../contract/operations/users.ts";
import { type FieldWords, sharedWords } from "../contract/records.ts";
import { auditWords } from "../contract/records-audit.ts";
import { keyWords } from "../contract/records-keys.ts";
import { learningWords } from "../contract/records-learnings.ts";
import { metricsWords } from "../contract/records-metrics.ts";
import { organizationWords, whoamiWords } from "../contract/records-organizations.ts";
import { peopleWords, roleWords } from "../contract/records-people.ts";
import { findingWords } from "../contract/records-security.ts";
import { webhookWords } from "../contract/records-webhooks.ts";
import { describeSelector } from "./parameters.ts";

/** Names that a search takes, and that its results have with their usual meaning. */
const foundWords: FieldWords = Object.fromEntries(
  ["repository_id", "repository_name", "file"].map((name) => [
    `searchLearnings: learning.${name}`,
    learningWords[name] ?? sharedWords[name] ?? "",
  ]),
);

const wordsOfTag: Readonly<Record<string, FieldWords>> = {
  Metrics: metricsWords,
  Learnings: { ...learningWords, ...learningRequestWords, ...searchWords, ...foundWords },
  Organizations: organizationWords,
  Users: { ...peopleWords, ...userRequestWords },
  Roles: { ...peopleWords, ...userRequestWords, ...roleWords, ...roleRequestWords },
  Keys: { ...organizationWords, ...keyWords, ...whoamiWords, ...keyRequestWords },
  "Audit logs": auditWords,
  Security: findingWords,
  Webhooks: webhookWords,
};

type Schema = z.core.JSONSchema.BaseSchema;

/** In place. A property without a text gets an empty description: a test lists it. */
export function describeProperties(schema: Schema, operation: Operation, place: "body" | "answer"): void {
  const visit = (value: Schema, parent: string): void => {
    for (const part of [value.items, value.additionalProperties, ...(value.anyOf ?? [])].filter(isSchema))
      visit(part, parent);
    for (const [name, property] of Object.entries(value.properties ?? {}).filter(isSchemaEntry)) {
      const isSelector = name === "org_id" && place === "body" && parent === "";
      const meaning =
        meaningOf(operation, parent, name) ?? (isSelector ? describeSelector(operation) : sharedWords[name]);
      // The schema's own description contains its limits, so it comes last.
      property.description = [meaning, property.description].filter(Boolean).join(" ");
      visit(property, name);
    }
  };
  visit(schema, "");
}

/** The most specific text: of the operation (below its parent, or anywhere), of the field below its parent, of the field. */
const meaningOf = ({ id, tag }: Operation, parent: string, name: string): string | undefined => {
  const own = { ...sharedWords, ...wordsOfTag[tag] };
  return (
    own[`${id}: ${parent}.${name}`] ??
    own[`${id}: ${name}`] ??
    own[`${parent}.${name}`] ??
    wordsOfTag[tag]?.[name]
  );
};

/** The same text for a field of an answer, for other pages. */
export const describedField = (operation: Operation, parent: string, name: string): string =>
  meaningOf(operation, parent, name) ?? sharedWords[name] ?? "";

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
const isSchemaEntry = (entry: [string, unknown]): entry is [string, Schema] => isSchema(entry[1]);
