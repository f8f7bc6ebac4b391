import { redact } from "../learnings/redaction/redact.ts";
import { eventTypeNamed } from "./event-type-named.ts";

export { redact };

/**
 * A message as it may lie in the table, in a dead letter or on a screen: without the credentials that its free texts
 * hold. An event of a known type without free texts stays as it came. Whatever is no event at all is redacted whole.
 */
export function redactMessage(body: string): string {
  try {
    const message: unknown = JSON.parse(body);
    if (!isRecord(message)) return redact(body).text;
    const type = typeof message.type === "string" ? eventTypeNamed(message.type) : undefined;
    if (type && !type.plainFields) return body;
    const { data, ...head } = message;
    const redacted = {
      ...redactFields(head, new Set(type ? headFields : []), 0),
      ...(data !== undefined && { data: redactValue(data, new Set(type?.plainFields), 0) }),
    };
    return JSON.stringify(redacted);
  } catch {
    // No JSON, or nested too deeply to look into.
    return redact(body).text;
  }
}

const headFields = ["id", "type", "occurred_at", "reference"];
/** No event nests as deeply; a hostile one would exhaust the stack. */
const depthMax = 50;

type Fields = { readonly [name: string]: unknown };

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function redactValue(value: unknown, plain: ReadonlySet<string>, depth: number): unknown {
  if (depth > depthMax) throw new RangeError("The message is nested too deeply.");
  // Trimmed, as it is before it is stored: the redacted text, and so the Learning's id, is the same then.
  if (typeof value === "string") return redact(value.trim()).text;
  if (Array.isArray(value)) return value.map((element) => redactValue(element, none, depth + 1));
  return isRecord(value) ? redactFields(value, plain, depth) : value;
}

const none: ReadonlySet<string> = new Set();

const redactFields = (fields: Fields, plain: ReadonlySet<string>, depth: number): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) =>
      plain.has(name) && typeof value === "string"
        ? [name, value]
        : [redact(name).text, redactNamed(name, redactValue(value, none, depth + 1))],
    ),
  );

/** A field's name may tell what its value alone does not: `"password": "correct horse"`. */
function redactNamed(name: string, value: unknown): unknown {
  if (typeof value !== "string" && typeof value !== "number") return value;
  const { text, kinds } = redact(`${name}: ${JSON.stringify(value)}`);
  const [kind] = kinds;
  return kind === undefined || text.includes(String(value)) ? value : `[REDACTED:${kind}]`;
}
