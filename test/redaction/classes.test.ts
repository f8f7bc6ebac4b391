import { describe, expect, it } from "vitest";
import { redact } from "../../lib/redaction/redact.ts";
import { classes } from "./exact/classes.ts";
import { exactSample } from "./samples/template.ts";

describe("the classes of a closed set", () => {
  it.each(Object.entries(classes))("%s", (_, examples) => {
    for (const example of examples) {
      const { text, expected } = exactSample(example);
      expect(redact(text).text, example).toBe(expected);
    }
  });
});
