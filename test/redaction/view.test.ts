import { describe, expect, it } from "vitest";
import { redact } from "../../lib/redaction/redact.ts";
import { innerDouble, marker, viewOf } from "../../lib/redaction/view.ts";

describe("the view of a text", () => {
  it.each([
    ["rare spaces become plain spaces", "a\u00a0b\u2009c\u3000d", "a b c d"],
    ["characters without width disappear", "pass\u200bword\ufeff", "password"],
    ["full-width characters become plain characters", "ｐｗ＝１", "pw=1"],
    ["letters of another language stay", "пароль", "пароль"],
    ["line separators become line ends", "a\u2028b\u0085c", "a\nb\nc"],
    [
      "curly quotes and angle quotes become plain quotes",
      "‘a’ “b” «c» « d\u00a0» 「e」",
      `'a' "b" "c" "d" "e"`,
    ],
    ["every hyphen and minus sign becomes a plain hyphen", "a\u2011b\u2212c", "a-b-c"],
    ["small forms become plain signs", "a\ufe55b\u207cc", "a:b=c"],
    ["letters and signs without a plain form stay", "é \ue123", "é \ue123"],
    [
      "characters that stand for quotes and markers become replacement characters",
      "\ue000\ue010",
      "\ufffd\ufffd",
    ],
    ["entities become their characters", "a&#61;b &amp; c&#x3d;d", "a=b & c=d"],
    ["an escaped slash becomes a slash", "a\\/b", "a/b"],
    ["an escaped quote becomes an inner quote", '\\"a\\"', `${innerDouble}a${innerDouble}`],
    ["an escaped line end becomes a line end", "a\\nb", "a\nb"],
    ["a machine's name stays", "\\\\nas01", "\\\\nas01"],
    ["joined strings become one string", `"ab" + "cd"`, `"abcd"`],
    ["a prefix that two lines share disappears", "// a\n// b", "a\nb"],
    ["a prefix of one line stays", "# a\nb", "# a\nb"],
    ["a marker becomes one character that nothing matches", "a [REDACTED:password] b", `a ${marker} b`],
  ])("in the view of a text, %s", (_, text, seen) => {
    expect(viewOf(text).text).toBe(seen);
  });

  it("the view of a text maps every stretch back to its place in the text", () => {
    const text = "x &quot;p\u200bw&quot; y";
    const view = viewOf(text);
    const { start, end } = view.original(view.text.indexOf("p"), view.text.indexOf("w") + 1);
    expect(text.slice(start, end)).toBe("p\u200bw");
  });

  it("redaction keeps the text around a credential as it was written", () => {
    expect(redact("ｐａｓｓｗｏｒｄ　＝　Xk9mQ2ppLw7a；次").text).toBe(
      "ｐａｓｓｗｏｒｄ　＝　[REDACTED:password]；次",
    );
  });
});
