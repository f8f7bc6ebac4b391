import { type EventTypeName, eventTypeNames } from "../contract/event-names.ts";
import { eventFieldsOf, eventJsonSchema, eventWords } from "../events/describe.ts";
import { envelopeWords } from "../events/envelope.ts";
import { markdownTable, withParts } from "./marked-parts.ts";

/** docs/use/events.md with its tables generated from the schemas. */
export const eventsPage = (page: string): string =>
  withParts(page, { envelope: envelopeTable, types: typesPart });

/** A JSON Schema for every type: path below the project's root, and content. */
export const eventSchemaFiles = (): ReadonlyArray<readonly [path: string, content: string]> =>
  eventTypeNames.map((name) => [
    `docs/use/events/${name}.json`,
    `${JSON.stringify(eventJsonSchema(name), null, 2)}\n`,
  ]);

const envelopeTable = (): string =>
  markdownTable(
    ["Field", "Meaning"],
    Object.entries(envelopeWords).map(([name, meaning]) => [`\`${name}\``, meaning]),
  );

const typesPart = (): string =>
  [
    markdownTable(
      ["Type", "What it is about", "JSON Schema"],
      eventTypeNames.map((name) => [
        `\`${name}\``,
        eventWords[name].meaning,
        `[${name}.json](events/${name}.json)`,
      ]),
    ),
    ...eventTypeNames.map(typePart),
  ].join("\n\n");

const typePart = (name: EventTypeName): string =>
  [
    `### ${name}`,
    markdownTable(
      ["Field of `data`", "Type", "Required", "Meaning"],
      eventFieldsOf(name).map(({ path, type, required, meaning }) => [
        `\`${path}\``,
        type,
        required ? "yes" : "no",
        meaning,
      ]),
    ),
  ].join("\n\n");
