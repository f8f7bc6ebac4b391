import {
  type Carrier,
  cleanCarriers,
  type Half,
  namedPlaces,
  secretCarriers,
  tokenPlaces,
} from "./grammar/carriers.ts";
import { renderTemplate } from "./grammar/template.ts";
import { wrapSometimes } from "./grammar/wrappings.ts";
import { type Random, seededRandom } from "./values/random.ts";
import { leaks, type Segment, secretOf, textOf } from "./values/segments.ts";

/** `secret` is the exact text; a secret of several pieces has one piece a line. */
export type SecretSample = { group: string; carrier: string; text: string; secret: string };
export type CleanSample = { group: string; carrier: string; text: string };
export type Samples = { secrets: SecretSample[]; clean: CleanSample[] };
export type Options = { seed: number | string; count: number; half: Half | "all" };

/**
 * Makes `count` texts with a secret and `count` clean ones, from the seed alone. The carriers take turns in an order
 * that the seed decides, so that a count as large as the number of carriers uses each of them.
 */
export function generate({ seed, count, half }: Options): Samples {
  const choose = (carriers: readonly Carrier[]): Carrier[] =>
    carriers.filter((carrier) => half === "all" || carrier.half === half);
  return {
    secrets: inTurns(`${seed}/secrets`, count, choose(secretCarriers), makeSecretSample),
    clean: inTurns(`${seed}/clean`, count, choose(cleanCarriers), makeCleanSample),
  };
}

function inTurns<Sample>(
  seed: string,
  count: number,
  carriers: readonly Carrier[],
  make: (carrier: Carrier, seed: string) => Sample,
): Sample[] {
  const samples: Sample[] = [];
  for (let round = 0; samples.length < count && carriers.length > 0; round++) {
    const order = seededRandom(`${seed}/order/${round}`).shuffle(carriers);
    for (const carrier of order.slice(0, count - samples.length)) {
      samples.push(make(carrier, `${seed}/${carrier.group}/${carrier.name}/${round}`));
    }
  }
  return samples;
}

const attemptsMax = 50;

/** A run of the secret may stand nowhere else in the text; a sample with such an accident is made again. */
function makeSecretSample(carrier: Carrier, seed: string): SecretSample {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const segments = render(carrier, seededRandom(`${seed}/${attempt}`));
    const secret = secretOf(segments);
    const rest = segments.map(({ text, isSecret }) => (isSecret ? "\u0000" : text)).join("");
    if (secret === "") throw new Error(`The carrier ${carrier.group}/${carrier.name} has no secret.`);
    if (!leaks(secret, rest)) {
      return { group: carrier.group, carrier: carrier.name, text: textOf(segments), secret };
    }
  }
  throw new Error(`The carrier ${carrier.group}/${carrier.name} repeats its secret in the text round it.`);
}

const makeCleanSample = (carrier: Carrier, seed: string): CleanSample => ({
  group: carrier.group,
  carrier: carrier.name,
  text: textOf(render(carrier, seededRandom(`${seed}/0`))),
});

function render(carrier: Carrier, random: Random): Segment[] {
  const segments = renderTemplate(templateOf(carrier, random), random);
  return carrier.isBare ? segments : wrapSometimes(segments, carrier.half, random);
}

function templateOf(carrier: Carrier, random: Random): string {
  const places =
    carrier.group === "vendor tokens"
      ? tokenPlaces
      : carrier.group === "vendor keys by name"
        ? namedPlaces
        : undefined;
  if (!places) return carrier.template;
  const place = random.pick(places.filter(({ half }) => half === carrier.half));
  const [, keyName = ""] = carrier.name.split(" ");
  return place.template.replace("⟨name⟩", () => keyName).replace("⟪value⟫", () => carrier.template);
}
