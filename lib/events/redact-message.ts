import { redact } from "../redaction/redact.ts";
import { eventTypeNamed } from "./event-type-named.ts";

export { redact };

/**
 * A message as it may be stored in the table or a dead letter, or shown on a screen: without the credentials in its
 * free texts. An event of a known type without free texts stays unchanged. Anything that is not an event is redacted
 * completely.
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
    // The body is not JSON, or is nested too deeply.
    return redact(body).text;
  }
}

const headFields = ["id", "type", "occurred_at", "reference"];
/** No valid event is nested this deeply; a hostile one would exhaust the stack. */
const depthMax = 50;

type Fields = { readonly [name: string]: unknown };

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function redactValue(value: unknown, plain: ReadonlySet<string>, depth: number): unknown {
  if (depth > depthMax) throw new RangeError("The message is nested too deeply.");
  // Trimmed, as it is before it is stored: so the redacted text, and with it the Learning's id, stays the same.
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

/** A field's name may reveal what its value alone does not: `"password": "correct horse"`. */
function redactNamed(name: string, value: unknown): unknown {
  if (typeof value !== "string" && typeof value !== "number") return value;
  const { text, kinds } = redact(`${name}: ${JSON.stringify(value)}`);
  const [kind] = kinds;
  return kind === undefined || text.includes(String(value)) ? value : `[REDACTED:${kind}]`;
}
