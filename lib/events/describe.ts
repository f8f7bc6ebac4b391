import * as z from "zod";
import type { EventWords } from "../contract/event-fields.ts";
import type { EventTypeName } from "../contract/event-names.ts";
import { eventLimits } from "../contract/limits.ts";
import { learningCapturedWords, learningUsedWords } from "../learnings/events/schemas.ts";
import { pullRequestFinalizedWords } from "../metrics/finalized.ts";
import { required } from "../runtime/required.ts";
import { scanCompletedWords } from "../security/scan-completed.ts";
import { envelopeWords } from "./envelope.ts";
import { eventTypes } from "./event-types.ts";
import {
  instanceSavedWords,
  memberSavedWords,
  organizationSavedWords,
  repositorySavedWords,
  teamSavedWords,
  workspaceSavedWords,
} from "./schemas.ts";

/** What every event means, and its fields. */
export const eventWords: Readonly<Record<EventTypeName, EventWords>> = {
  "workspace.saved": workspaceSavedWords(),
  "instance.saved": instanceSavedWords(),
  "organization.saved": organizationSavedWords(),
  "repository.saved": repositorySavedWords(),
  "member.saved": memberSavedWords(),
  "team.saved": teamSavedWords(),
  "pull_request.finalized": pullRequestFinalizedWords(),
  "learning.captured": learningCapturedWords(),
  "learning.used": learningUsedWords(),
  "security_scan.completed": scanCompletedWords(),
};

/** Events as JSON Schema and as rows of a table, made from the schemas that the worker uses for validation. */

type Schema = z.core.JSONSchema.BaseSchema;

export type FieldRow = {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly meaning: string;
};

const fieldMeaning = (type: EventTypeName, path: string): string =>
  required(eventWords[type].fields[path], `text for the field ${path} of ${type}`);

/** The schema of a whole event; every property is described. */
export function eventJsonSchema(type: EventTypeName): object {
  const data = inputSchema(eventTypes[type].schema);
  for (const { path, property } of fieldsOf(data)) {
    for (const each of branchesOf(property)) delete each.description;
    property.description = fieldMeaning(type, path);
  }
  const { id, type: name, occurred_at, data: whole } = envelopeWords;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: type,
    description: eventWords[type].meaning,
    type: "object",
    properties: {
      id: { type: "string", format: "uuid", description: id },
      type: { const: type, description: name },
      occurred_at: {
        type: "string",
        format: "date-time",
        maxLength: eventLimits.occurredAtCharactersMax,
        description: occurred_at,
      },
      data: { ...data, description: whole },
    },
    required: ["id", "type", "occurred_at", "data"],
  };
}

function inputSchema(schema: z.ZodType): Schema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    // `format` says the same in one word.
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      const { limits } = jsonSchema;
      delete jsonSchema.limits;
      if (typeof limits === "string") jsonSchema.description ??= limits;
    },
  });
  return made;
}

type Field = { readonly path: string; readonly property: Schema; readonly isRequired: boolean };

/** The fields of a schema, outer ones before inner ones. */
function* fieldsOf(schema: Schema, prefix = ""): Generator<Field> {
  for (const branch of branchesOf(schema)) {
    if (isSchema(branch.items)) yield* fieldsOf(branch.items, `${prefix}[]`);
    const requiredNames = new Set(branch.required);
    for (const [name, property] of Object.entries(branch.properties ?? {}).filter(hasSchema)) {
      const path = prefix === "" ? name : `${prefix}.${name}`;
      yield { path, property, isRequired: requiredNames.has(name) };
      yield* fieldsOf(property, path);
    }
  }
}

/** A schema and its alternatives. */
const branchesOf = (schema: Schema): Schema[] => [schema, ...(schema.anyOf ?? []).flatMap(branchesOf)];

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

const hasSchema = (entry: [string, unknown]): entry is [string, Schema] => isSchema(entry[1]);

/** The fields of `data`, outer ones before inner ones. */
export const eventFieldsOf = (type: EventTypeName): FieldRow[] =>
  Array.from(fieldsOf(inputSchema(eventTypes[type].schema)), ({ path, property, isRequired }) => ({
    path,
    type: typeWords(property),
    required: isRequired,
    meaning: fieldMeaning(type, path),
  }));

/** A type in readable words: `string or null`, `one of a, b`. */
function typeWords(schema: Schema): string {
  if (schema.enum) return `one of ${schema.enum.map((value) => `\`${value}\``).join(", ")}`;
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeWords))].toSorted(nullLast).join(" or ");
  if (schema.type === "array") return "list";
  if (schema.format === "date-time") return "date-time";
  const { type } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type ?? "any"];
  return types.join(" or ");
}

const nullLast = (one: string, other: string): number => Number(one === "null") - Number(other === "null");
