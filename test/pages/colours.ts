/** How colours differ for eyes that see no red (protanopia) or no green (deuteranopia). */

/** Machado, Oliveira and Fernandes (2009), severity 1, in linear light. */
const seen = {
  everything: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
} as const;
type Vision = keyof typeof seen;
export const visions = ["everything", "protanopia", "deuteranopia"] as const satisfies readonly Vision[];

type Matrix = ReadonlyArray<readonly number[]>;
const product = (matrix: Matrix, vector: readonly number[]): number[] =>
  matrix.map((row) => row.reduce((sum, each, index) => sum + each * (vector[index] ?? 0), 0));

/** sRGB to XYZ, divided by the white of D65. */
const toXyz = [
  [0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339 / 1.08883, 0.119192 / 1.08883, 0.9503041 / 1.08883],
];

function labOf(colour: readonly number[], vision: Vision) {
  const linear = colour
    .map((each) => each / 255)
    .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
  const shown = product(seen[vision], linear).map((each) => Math.min(1, Math.max(0, each)));
  const [x = 0, y = 0, z = 0] = product(toXyz, shown).map((each) =>
    each > 216 / 24_389 ? Math.cbrt(each) : ((24_389 / 27) * each + 16) / 116,
  );
  return { light: 116 * y - 16, a: 500 * (x - y), b: 200 * (y - z) };
}

const degrees = (angle: number): number => (angle * Math.PI) / 180;
const hueOf = (a: number, b: number): number => ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360;
const bent = (chroma: number): number => Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7));

/** CIEDE2000. */
export function difference(one: readonly number[], other: readonly number[], vision: Vision): number {
  const [first, second] = [labOf(one, vision), labOf(other, vision)];
  const stretch = 1.5 - 0.5 * bent((Math.hypot(first.a, first.b) + Math.hypot(second.a, second.b)) / 2);
  const [firstA, secondA] = [first.a * stretch, second.a * stretch];
  const [firstChroma, secondChroma] = [Math.hypot(firstA, first.b), Math.hypot(secondA, second.b)];
  const [firstHue, secondHue] = [hueOf(firstA, first.b), hueOf(secondA, second.b)];
  const turn = secondHue - firstHue;
  const hueStep = Math.abs(turn) <= 180 ? turn : turn - 360 * Math.sign(turn);
  const hue = firstHue + hueStep / 2;
  const light = (first.light + second.light) / 2;
  const chroma = (firstChroma + secondChroma) / 2;
  const wave = (factor: number, shift: number) => Math.cos(degrees(factor * hue + shift));
  const weight = 1 - 0.17 * wave(1, -30) + 0.24 * wave(2, 0) + 0.32 * wave(3, 6) - 0.2 * wave(4, -63);
  const byLight =
    (second.light - first.light) / (1 + (0.015 * (light - 50) ** 2) / Math.sqrt(20 + (light - 50) ** 2));
  const byChroma = (secondChroma - firstChroma) / (1 + 0.045 * chroma);
  const byHue =
    (2 * Math.sqrt(firstChroma * secondChroma) * Math.sin(degrees(hueStep / 2))) /
    (1 + 0.015 * chroma * weight);
  const rotation = -2 * bent(chroma) * Math.sin(degrees(60 * Math.exp(-(((hue - 275) / 25) ** 2))));
  return Math.sqrt(byLight ** 2 + byChroma ** 2 + byHue ** 2 + rotation * byChroma * byHue);
}
