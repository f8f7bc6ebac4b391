import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { rules } from "../../lib/redaction/finders.ts";
import { publishedKinds, redact } from "../../lib/redaction/redact.ts";
import { cleanSamples, type Half, secretSamples } from "./samples/read.ts";

describe("the sample set", () => {
  const halves: Half[] = ["development", "held-out"];

  it("the sample set is redacted as recorded: which kinds, in which order, and what is missed", async () => {
    const answered = halves.flatMap((half) =>
      secretSamples(half, "1").map(({ label, text, expected }) => {
        const answer = redact(text).text;
        const kinds = Array.from(answer.matchAll(/\[REDACTED:(\w+)\]/g), ([, kind]) => kind);
        return `${label}: ${kinds.join(" ")}${expected.test(answer) ? "" : " MISSED"}\n`;
      }),
    );
    const changed = halves.flatMap(cleanSamples).filter((text) => redact(text).text !== text);
    // What is meant to be answered otherwise: `npx vitest run test/redaction/samples.test.ts -u`.
    await expect([...answered, ...changed.map((text) => `changed: ${text}\n`)].join("")).toMatchFileSnapshot(
      fileURLToPath(new URL("./sample-kinds.txt", import.meta.url)),
    );
  });

  it("the published kinds are the recorded ones", async () => {
    expect(rules.length).toBeGreaterThan(100);
    await expect(publishedKinds.map(({ kind, name }) => `${kind}: ${name}\n`).join("")).toMatchFileSnapshot(
      fileURLToPath(new URL("./published-kinds.txt", import.meta.url)),
    );
  });
});
