import { afterEach, expect, it, vi } from "vitest";
import { redact } from "../../lib/redaction/redact.ts";
import { cleanSamples, secretSamples } from "./samples/read.ts";

afterEach(() => vi.unstubAllGlobals());

it("a text makes no pattern: all of them are made when the rules are loaded", () => {
  const texts = [
    ...cleanSamples("development"),
    ...secretSamples("development", "1").map(({ text }) => text),
  ];
  expect(texts.length).toBeGreaterThan(100);
  const made: unknown[] = [];
  vi.stubGlobal(
    "RegExp",
    new Proxy(RegExp, {
      construct(target, [source, flags]) {
        made.push(source);
        return new target(source, flags);
      },
      apply(target, _, [source, flags]) {
        made.push(source);
        return target(source, flags);
      },
    }),
  );
  for (const text of texts) redact(text);
  expect(made).toEqual([]);
});
