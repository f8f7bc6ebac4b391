import { withoutCredentials } from "../contract/addresses.ts";
import { redactors } from "../learnings/content.ts";
import { redact } from "../redaction/redact.ts";
import { eventTypeNamed } from "./event-type-named.ts";

export { redact };

/**
 * A message as it may be stored in the table or a dead letter, or shown on a screen: without the credentials in its
 * free texts and URLs. An event of a known type with neither stays unchanged. Anything that is not an event is redacted
 * completely.
 */
export function redactMessage(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    if (!isRecord(parsed)) return redact(body).text;
    const type = typeof parsed.type === "string" ? eventTypeNamed(parsed.type) : undefined;
    const message = withPublicUrls(parsed, type?.publicUrl ?? withoutCredentials);
    if (type && !type.plainFields) {
      const text = JSON.stringify(message);
      return text === JSON.stringify(parsed) ? body : text;
    }
    const { data, ...head } = message;
    const known = type?.plainFields && new Map([...plain(type.plainFields), ...learningTexts]);
    const redacted = {
      ...redactFields(head, type ? plain(headFields) : none, 0),
      ...(data !== undefined && { data: redactValue(data, known ?? none, 0) }),
    };
    return JSON.stringify(redacted);
  } catch {
    // The body is not JSON, or is nested too deeply.
    return redact(body).text;
  }
}

const withPublicUrls = (fields: Fields, publicUrl: (url: string) => string, depth = 0): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" && /(?:^|_)url$/.test(name)
        ? publicUrl(value)
        : withPublicUrlsIn(value, publicUrl, depth + 1),
    ]),
  );

function withPublicUrlsIn(value: unknown, publicUrl: (url: string) => string, depth: number): unknown {
  if (depth > depthMax) throw new RangeError("The message is nested too deeply.");
  if (Array.isArray(value)) return value.map((element) => withPublicUrlsIn(element, publicUrl, depth + 1));
  return isRecord(value) ? withPublicUrls(value, publicUrl, depth) : value;
}

/** How a field of text is redacted, by the field's name. A field that is not listed is redacted with its name. */
type KnownFields = ReadonlyMap<string, (text: string) => string>;

const none: KnownFields = new Map();
const plain = (names: readonly string[]): KnownFields => new Map(names.map((name) => [name, (text) => text]));
const headFields = ["id", "type", "occurred_at", "reference"];

/** The same redaction as without a wait, after the same trim: text, file and id of a Learning do not depend on it. */
const learningTexts: KnownFields = new Map(
  Object.entries(redactors).map(([name, redactor]) => [name, (text) => redactor(text.trim()).text]),
);

/** No valid event is nested this deeply; a hostile one would exhaust the stack. */
const depthMax = 50;

type Fields = { readonly [name: string]: unknown };

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function redactValue(value: unknown, known: KnownFields, depth: number): unknown {
  if (depth > depthMax) throw new RangeError("The message is nested too deeply.");
  if (typeof value === "string") return redact(value).text;
  if (Array.isArray(value)) return value.map((element) => redactValue(element, none, depth + 1));
  return isRecord(value) ? redactFields(value, known, depth) : value;
}

const redactFields = (fields: Fields, known: KnownFields, depth: number): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const redactor = known.get(name);
      return redactor && typeof value === "string"
        ? [name, redactor(value)]
        : [redact(name).text, redactNamed(name, redactValue(value, none, depth + 1))];
    }),
  );

/** A field's name may reveal what its value alone does not: `"password": "correct horse"`. */
function redactNamed(name: string, value: unknown): unknown {
  if (typeof value !== "string" && typeof value !== "number") return value;
  const { text, kinds } = redact(`${name}: ${JSON.stringify(value)}`);
  const [kind] = kinds;
  return kind === undefined || text.includes(String(value)) ? value : `[REDACTED:${kind}]`;
}
