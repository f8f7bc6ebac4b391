/**
 * The sample set's template language, so that no credential stands in the repository in full.
 *
 *   «…»            the secret part: nothing of it may remain
 *   ‹…›            belongs to the secret: may remain or go with it
 *   {alphabet:20}  20 random characters of that alphabet, from a seeded generator
 */
type Dice = (below: number) => number;

/** mulberry32 over an FNV-1a hash of the seed: the same seed gives the same credential everywhere. */
export function seededDice(seed: string): Dice {
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(seed)) state = Math.imul(state ^ byte, 0x01000193);
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const lower = "abcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const alphabets: Record<string, string> = {
  upper,
  lower,
  digits,
  alpha: upper + lower,
  alnum: upper + lower + digits,
  lowalnum: lower + digits,
  upperalnum: upper + digits,
  base32: `${upper}234567`,
  lowerbase32: `${lower}234567`,
  hex: "0123456789abcdef",
  HEX: "0123456789ABCDEF",
  base64: `${upper + lower + digits}+/`,
  base64url: `${upper + lower + digits}-_`,
  djangokey: `${lower + digits}!@#$%^&*(-_=+)`,
};

const words =
  "summer winter dragon monkey sunshine football princess whiskey silver purple garden rocket coffee tiger orange castle bamboo thunder meadow pirate".split(
    " ",
  );

/** Words that people choose, in several languages, some with the ending of an adjective or a participle. */
const chosenWords =
  "elephant pelican starling garlic serpent lantern spiderweb letterbox dormouse tournesol vogelnest escargot naranja apfelkuchen marzipan wheatfield crocodile nightwatch tollbooth cinnamon pavlova tartaruga photocopier broccoli drawbridge umbrella velvet sandcastle pumpkin trampoline".split(
    " ",
  );
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** `Str4wberry-lake`: a person's password with one digit in place of a letter. */
function human(dice: Dice): string {
  const first = capital(chosenWords[dice(chosenWords.length)] ?? "");
  const joint = "-_.!"[dice(4)] ?? "";
  return `${first.replace(/([a-z])([aeo])/, (_, before, vowel) => before + "430"["aeo".indexOf(vowel)])}${joint}${words[dice(words.length)]}`;
}

function draw(alphabet: string, count: number, dice: Dice): string {
  let drawn = "";
  while (drawn.length < count) drawn += alphabet[dice(alphabet.length)];
  return drawn;
}

/** A person's password: letters, at least one capital, one digit and one symbol. */
function password(length: number, symbols: string, dice: Dice): string {
  const tail = draw(alphabets.alnum ?? "", length - 5, dice);
  return draw(upper, 1, dice) + draw(lower, 2, dice) + draw(symbols, 1, dice) + draw(digits, 1, dice) + tail;
}

function pemLines(count: number, dice: Dice): string[] {
  const lines = Array.from({ length: count }, () => draw(alphabets.base64 ?? "", 64, dice));
  lines[count - 1] = `${draw(alphabets.base64 ?? "", 42, dice)}==`;
  return lines;
}

const pemJoins: Record<string, (lines: string[]) => string> = {
  pem: (lines) => lines.join("\n"),
  pemcrlf: (lines) => lines.join("\r\n"),
  pemescaped: (lines) => lines.join("\\n"),
  pemescapedtwice: (lines) => lines.join("\\\\n"),
  pemspaced: (lines) => lines.join(" "),
  pemindented: (lines) => lines.map((line) => `    ${line}`).join("\n"),
  pemquoted: (lines) => lines.map((line) => `> ${line}`).join("\n"),
  pemplus: (lines) => lines.map((line) => `+${line}`).join("\n"),
  pemjava: (lines) => lines.map((line) => `  "${line}\\n" +`).join("\n"),
};

function uuid(dice: Dice): string {
  const hex = (count: number) => draw(alphabets.hex ?? "", count, dice);
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
}

function generate(name: string, count: number, dice: Dice): string {
  if (name === "uuid") return uuid(dice);
  if (name === "word") return Array.from({ length: count }, () => words[dice(words.length)]).join("");
  const chosen = () => Array.from({ length: count }, () => chosenWords[dice(chosenWords.length)] ?? "");
  if (name === "chosen") return chosen().join("");
  if (name === "Chosen") return chosen().map(capital).join("");
  if (name === "dashed") return chosen().join("-");
  if (name === "phrase") return chosen().join(" ");
  if (name === "human") return human(dice);
  if (name === "password") return password(count, "!#$%&*?+", dice);
  if (name === "urlpassword") return password(count, "!._~-", dice);
  if (name === "base64urlescaped") return draw(alphabets.alnum ?? "", count - 2, dice).concat("%2B%2F");
  const join = pemJoins[name];
  if (join) return join(pemLines(count, dice));
  const alphabet = alphabets[name];
  if (!alphabet) throw new Error(`no such generator: {${name}}`);
  return draw(alphabet, count, dice);
}

export const expand = (template: string, seed: string): string => {
  const dice = seededDice(seed);
  return template.replace(/\{([A-Za-z0-9]+):(\d+)\}|\{uuid\}/g, (_, name = "uuid", count = "1") =>
    generate(name, Number(count), dice),
  );
};

export interface SecretSample {
  label: string;
  /** The text as somebody would paste it. */
  text: string;
  /** The secret parts alone. */
  secrets: string[];
  /** What a right answer looks like: everything but the secrets verbatim, markers in their place. */
  expected: RegExp;
}

const marker = "(?:\\[REDACTED:[a-z0-9_]+\\])+";

export function secretSample(label: string, template: string, seed: string): SecretSample {
  const marked = expand(template, `${seed}/${label}`);
  const secrets = Array.from(marked.matchAll(/«([^»]*)»/g), ([, secret = ""]) => secret);
  const shape = marked.replace(/«[^»]*»|‹([^›]*)›|[^«‹]+/g, (part, optional) => {
    if (part.startsWith("«")) return marker;
    return part.startsWith("‹") ? `(?:${literal(optional)})?` : literal(part);
  });
  return { label, text: marked.replace(/[«»‹›]/g, ""), secrets, expected: new RegExp(`^${shape}$`) };
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** A text with each credential written as `«kind|credential»`: as it is pasted, and what exactly is to come of it. */
export function exactSample(written: string): { text: string; expected: string; kinds: string[] } {
  const marked = expand(written, written);
  return {
    text: marked.replace(/«\w+\||»/g, ""),
    expected: marked.replace(/«(\w+)\|[^»]*»/g, "[REDACTED:$1]"),
    kinds: [...new Set(Array.from(marked.matchAll(/«(\w+)\|/g), ([, kind = ""]) => kind))],
  };
}
