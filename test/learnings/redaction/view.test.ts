import { describe, expect, it } from "vitest";
import { redact } from "../../../lib/learnings/redaction/redact.ts";
import { innerDouble, marker, viewOf } from "../../../lib/learnings/redaction/view.ts";

describe("the view of a text", () => {
  it.each([
    ["rare blanks are blanks", "a\u00a0b\u2009c\u3000d", "a b c d"],
    ["what has no width is nothing", "pass\u200bword\ufeff", "password"],
    ["full-width signs are signs", "ｐｗ＝１", "pw=1"],
    ["letters that look alike are those of the word they stand in", "pаsswоrd", "password"],
    ["letters of another language stay", "пароль", "пароль"],
    ["entities are what they stand for", "a&#61;b &amp; c", "a=b & c"],
    ["an escaped quote is a quote of its own", '\\"a\\"', `${innerDouble}a${innerDouble}`],
    ["an escaped line end is a line end", "a\\nb", "a\nb"],
    ["a machine's name stays", "\\\\nas01", "\\\\nas01"],
    ["strings that are joined are one", `"ab" + "cd"`, `"abcd"`],
    ["tags that format are nothing, or a line end", "<b>a</b><br>c", "a\nc"],
    ["a prefix that two lines have is nothing", "// a\n// b", "a\nb"],
    ["a prefix of one line stays", "# a\nb", "# a\nb"],
    ["a marker is one character that nothing matches", "a [REDACTED:password] b", `a ${marker} b`],
  ])("%s", (_, text, seen) => {
    expect(viewOf(text).text).toBe(seen);
  });

  it("knows for every stretch where it lies in the text", () => {
    const text = "x &quot;p\u200bw&quot; y";
    const view = viewOf(text);
    const { start, end } = view.original(view.text.indexOf("p"), view.text.indexOf("w") + 1);
    expect(text.slice(start, end)).toBe("p\u200bw");
  });

  it("lets everything around a credential stay as it was written", () => {
    expect(redact("ｐａｓｓｗｏｒｄ　＝　Xk9mQ2ppLw7a；次").text).toBe(
      "ｐａｓｓｗｏｒｄ　＝　[REDACTED:password]；次",
    );
  });
});
