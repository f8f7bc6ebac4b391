import { describe, expect, test } from "vitest";
import { releaseProblem } from "../../lib/openapi/release.ts";
import { asNode, type Node } from "../../lib/openapi/schema-changes.ts";
import { changed, released, set, users } from "./planted.ts";

describe("a release", () => {
  const breaks = changed([...users, "parameters", "limit"], set("required", true));
  const asVersion = (document: Node, version: string): Node => ({
    ...document,
    info: { ...asNode(document.info), version },
  });

  test("a release that breaks callers is refused under the released version, with advice", () => {
    const problem = releaseProblem(released, breaks);
    expect(problem).toContain("listUsers: the parameter limit is required now");
    expect(problem).toMatch(/Version 1\.0\.0 .*raise interfaceVersion/s);
  });

  test.each(["1.0.1", "1.1.0", "2.0.0", "10.0.0"])(
    "a release that breaks callers may be version %s",
    (version) => {
      expect(releaseProblem(released, asVersion(breaks, version))).toBeUndefined();
    },
  );

  test("a release that breaks callers may not be an older version", () => {
    const later = asVersion(released, "1.10.0");
    expect(releaseProblem(later, asVersion(breaks, "1.9.3"))).toContain("Version 1.10.0");
  });

  test("a release that breaks no caller may be recorded at any time", () => {
    const wider = changed([...users, "parameters", "limit", "schema"], set("maximum", 500));
    expect(releaseProblem(released, wider)).toBeUndefined();
  });
});
