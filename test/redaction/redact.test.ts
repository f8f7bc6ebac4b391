import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { clearMemoized, memoize } from "../../lib/redaction/memoize.ts";
import { publishedKinds, redact, redactPath } from "../../lib/redaction/redact.ts";
import { expand } from "./samples/template.ts";

const made = (template: string) => expand(template, "redact.test");

describe("a credential", () => {
  it("a credential is replaced by a marker that names its kind, and the text around it stays", () => {
    const text = made("Please revoke {uuid} and ghp_{alnum:36}, then rotate.");
    expect(redact(text)).toEqual({
      text: made("Please revoke {uuid} and [REDACTED:github_token], then rotate."),
      kinds: ["github_token"],
    });
  });

  it("credentials of one kind leave the same text, so that their Learnings are duplicates", () => {
    const first = redact(expand("use sk_live_{alnum:24} here", "first"));
    const second = redact(expand("use sk_live_{alnum:24} here", "second"));
    expect(first).toEqual(second);
  });

  it("a credential keeps its own kind if it is assigned to a password", () => {
    expect(redact(made('password = "glpat-{base64url:20}"')).text).toBe(
      'password = "[REDACTED:gitlab_token]"',
    );
  });

  it("a credential adds its kind to the list only once", () => {
    const text = made("npm_{alnum:36} npm_{alnum:36} DB_PASSWORD={password:12}");
    expect(redact(text).kinds).toEqual(["npm_token", "password"]);
  });

  it("a credential is found after an escape: a line end in JSON, an equals sign in a URL", () => {
    expect(redact(made('"log\\nghp_{alnum:36}"')).text).toBe('"log\\n[REDACTED:github_token]"');
    expect(redact(made("q%3Dghp_{alnum:36}")).text).toBe("q%3D[REDACTED:github_token]");
  });

  it("a credential is found in a source URL", () => {
    expect(redact(made("https://ci:{alnum:20}@git.example.com/a/b/pull/7")).text).toBe(
      "https://ci:[REDACTED:url_password]@git.example.com/a/b/pull/7",
    );
  });
});

describe("a credential under a name", () => {
  const document = (secret: string) =>
    Buffer.from(
      JSON.stringify({ type: "service_account", project_id: "acme", ...JSON.parse(secret) }, null, 2),
    );
  const account = document(`{"private_key":"-----BEGIN PRIVATE KEY-----\\n${made("{base64:64}")}"}`).toString(
    "base64",
  );

  it.each([
    ["in a variable", "GOOGLE_CREDENTIALS_B64="],
    ["in a variable of JSON", "GOOGLE_APPLICATION_CREDENTIALS_JSON="],
    ["in a Secret of Kubernetes", "data:\n  key.json: "],
  ])("base64 of a service account goes whole: %s", (_, name) => {
    expect(redact(name + account).text).toBe(`${name}[REDACTED:secret]`);
    const wrapped = account.replaceAll(/.{76}(?=.)/g, "$&\n  ");
    expect(redact(name + wrapped).text).toBe(`${name}[REDACTED:secret]`);
  });

  it("base64 of a document without a credential stays", () => {
    const text = `fixture: ${document('{"display_name":"the account that reads the reports"}').toString("base64")}`;
    expect(redact(text).text).toBe(text);
  });

  it("a sure name is stronger than the prefix of public keys, except Stripe's", () => {
    const key = made("pk_{upperalnum:32}");
    for (const name of ["CLICKUP_TOKEN=", "api_token: "])
      expect(redact(name + key).text).toBe(`${name}[REDACTED:token]`);
    const publishable = made("STRIPE_TOKEN=pk_live_{alnum:24}");
    expect(redact(publishable).text).toBe(publishable);
  });

  it("a string with an escaped line end goes whole", () => {
    expect(redact('{"password":"Kd82\\nmQzLp71"}').text).toBe('{"password":"[REDACTED:password]"}');
  });
});

describe("a clean text", () => {
  it.each([
    made("refund re_3{alnum:23} failed"),
    "Passwort: Pflichtfeld",
    "Password: textbox",
    "Mot de passe : obligatoire",
    "#3 auth_check (pw=0x7ffd3c1a2b90, len=8) at auth.c:42",
  ])("%s stays", (text) => {
    expect(redact(text).text).toBe(text);
  });

  it.each([
    "customer cus_E9ShJLejbG2CJ2 has charge ch_TRbCwiHQlKRyYAplIxDncZ40",
    "Sentry event eb46cda502d8bc41cfafc993300d25f2",
    'ETag: "a276431a7dc7479fc9c70f118b2c979c"',
    "integrity sha512-Zk3hT9sPq7vTz92LmXw/aB3dE6gH9kLm2NpQ5rS8tUv1WxY4z==",
    "VersionId: 2I3m07NSVT1w1Y6cdYD7N1GrW8L2V1l8",
    "TOKEN_TTL=3600",
    'A key begins with "-----BEGIN PRIVATE KEY-----";',
  ])("behind a password on the same line, %s stays", (clean) => {
    for (const found of [
      "The password is Kq7-vTz92.",
      "db password: Wint3rgarten!",
      "password=Kq7vTz92xLm4",
    ]) {
      expect(redact(`${found} ${clean}`).text).toMatch(/\[REDACTED:password\]/);
      expect(redact(`${found} ${clean}`).text).toContain(clean);
      expect(redact(`${clean} ${found}`).text).toContain(clean);
    }
  });
});

it("a value of many digits with a sign behind it does not keep a pattern busy for minutes", () => {
  const value = `Aa${"1234567890".repeat(4)}-x!`;
  expect(redact(`admin ${value} login`).text).toContain("login");
});

describe("a long text", () => {
  const plainLines = "A line of plain words that no rule finds.\n".repeat(300);
  const line = "the password is Kq7-vTz92 and Wint3r-garten9";
  const redactedLine = "the password is [REDACTED:password] and [REDACTED:password]";

  it("a long text loses a credential that another replacement uncovers, like a short text", () => {
    expect(redact(made(line)).text).toBe(redactedLine);
    const text = `${plainLines}${line}, ghp_{alnum:36}\n${plainLines}${line}`;
    expect(redact(made(text)).text).toBe(
      `${plainLines}${redactedLine}, [REDACTED:github_token]\n${plainLines}${redactedLine}`,
    );
  });

  it("a long text loses an uncovered credential at the end of a line with hundreds of credentials", () => {
    const tokens = "ghp_{alnum:36} ".repeat(500);
    const markers = "[REDACTED:github_token] ".repeat(500);
    expect(redact(made(`${tokens}${line}\n${plainLines}`)).text).toBe(
      `${markers}${redactedLine}\n${plainLines}`,
    );
  });

  it("a long text keeps two lines that would be a private key only if nothing is between them", () => {
    const text = `ghp_{alnum:36} -----BEGIN RSA PRIVATE KEY-----\n${plainLines}aB3dE6gH9kLm2NpQ5rS8 ghp_{alnum:36}`;
    expect(redact(made(text)).text).toBe(made(text).replaceAll(/ghp_\w+/g, "[REDACTED:github_token]"));
  });
});

describe("a chain of credentials that is longer than the rounds", () => {
  const chain = "the password is Kq7-vTz92 and Kq7-vTz93 and Kq7-vTz94 and Kq7-vTz95";
  const cut = "the password is [REDACTED:password][REDACTED:secret]";
  const known = "[REDACTED:github_token] is the old one;";

  it.each([
    ["the rest of its line goes, and no other line", `a\n${chain} b\nc`, `a\n${cut}\nc`],
    [
      "what is before the first new marker stays, with the markers in it",
      `${known} ${chain}`,
      `${known} ${cut}`,
    ],
    ["a kind whose marker is gone is not reported", made(`${chain}, ghp_{alnum:36}`), cut],
  ])("in a chain %s", (_, text, expected) => {
    expect(redact(text)).toEqual({ text: expected, kinds: ["password", "secret"] });
    expect(redact(expected)).toEqual({ text: expected, kinds: [] });
  });

  it("a chain adds no kind that the text named before", () => {
    const text = `${cut}\nthe key is AKIA{upperalnum:16}`;
    expect(redact(made(text))).toEqual({
      text: `${cut}\nthe key is [REDACTED:aws_access_key]`,
      kinds: ["aws_access_key"],
    });
  });
});

describe("a verdict about a value", () => {
  function countedJudge() {
    const judged: string[] = [];
    const isAccepted = memoize((value) => judged.push(value) > 0);
    return { judged, isAccepted };
  }

  it("redaction judges a value once in a text, and forgets the verdict after the text", () => {
    const { judged, isAccepted } = countedJudge();
    for (const value of ["a", "b", "a"]) expect(isAccepted(value)).toBe(true);
    clearMemoized();
    isAccepted("a");
    expect(judged).toEqual(["a", "b", "a"]);
  });

  it("redaction keeps at most 1,024 verdicts", () => {
    const { judged, isAccepted } = countedJudge();
    for (let value = 0; value < 1_025; value++) isAccepted(`${value}`);
    isAccepted("0");
    isAccepted("1024");
    expect(judged.slice(1_024)).toEqual(["1024", "0"]);
    clearMemoized();
  });
});

describe("a file's path", () => {
  it("a file's path keeps a part that looks random, so that the filter by path finds it", () => {
    const path = made("dist/assets/{alnum:40}/index.js");
    expect(redactPath(path)).toEqual({ text: path, kinds: [] });
  });

  it("a file's path loses a vendor's token", () => {
    expect(redactPath(made("tmp/ghp_{alnum:36}/x")).text).toBe("tmp/[REDACTED:github_token]/x");
  });
});

describe("a private key", () => {
  const body = made("{pem:4}");

  it.each([
    ["whole", `-----BEGIN EC PRIVATE KEY-----\n${body}\n-----END EC PRIVATE KEY-----`],
    ["without its end", `-----BEGIN EC PRIVATE KEY-----\n${body}`],
    ["without its beginning", `${body}\n-----END EC PRIVATE KEY-----`],
    ["on one line", `-----BEGIN EC PRIVATE KEY-----${body.replaceAll("\n", "")}-----END EC PRIVATE KEY-----`],
    [
      "with escaped line ends",
      `-----BEGIN EC PRIVATE KEY-----\\n${body.replaceAll("\n", "\\n")}\\n-----END EC PRIVATE KEY-----`,
    ],
  ])("a private key is replaced by one marker: %s", (_, key) => {
    expect(redact(`before\n\n${key}\n\nafter it`).text).toBe("before\n\n[REDACTED:private_key]\n\nafter it");
  });

  it("a private key is replaced together with the key file around it, by one marker", () => {
    const inner = `-----BEGIN EC PRIVATE KEY-----\n${body}\n-----END EC PRIVATE KEY-----`;
    const outer = `PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 4\n${inner}\nPrivate-MAC: 0123abcd`;
    expect(redact(`a ${outer} b`).text).toBe("a [REDACTED:private_key] b");
  });

  it("no private key is found between a header and a footer without key lines", () => {
    const text = "-----BEGIN PRIVATE KEY-----\n(your key here)\n-----END PRIVATE KEY-----";
    expect(redact(text).text).toBe(text);
  });
});

describe("a text with nothing to hide", () => {
  it.each(["", " ", "\0", "\ud800", "[REDACTED:", "password=", "://:@"])(
    "the text %j has nothing to hide and stays",
    (text) => {
      expect(redact(text)).toEqual({ text, kinds: [] });
    },
  );
});

describe("a marker", () => {
  it.each([
    ["stays", "[REDACTED:github_token]"],
    ["is not a value", "password=[REDACTED:password]&token=[REDACTED:token]"],
    ["is not the name of a value", "[REDACTED:token]: aB3dE6gH9kLm2NpQ"],
    ["is not the user of a password", "curl -u [REDACTED:1password_key] https://example.com"],
    ["does not announce a password", "[REDACTED:url_password] Xk9!pQz7Rt2bW"],
  ])("a marker %s", (_, text) => {
    expect(redact(text)).toEqual({ text, kinds: [] });
  });
});

describe("the published list", () => {
  it("the published list names at least 250 kinds, each once, in words", () => {
    const kinds = publishedKinds.map(({ kind }) => kind);
    expect(kinds.length).toBeGreaterThanOrEqual(250);
    expect(new Set(kinds).size).toBe(kinds.length);
    expect(
      publishedKinds.filter(
        ({ kind, name }) => !/^[a-z0-9][a-z0-9_]*[a-z0-9]$/.test(kind) || name.length < 3,
      ),
    ).toEqual([]);
  });
});

describe("the bundle", () => {
  const minifiedBytesMax = 156_000;

  it("the bundle of redaction stays small enough for every function that writes Learnings", () => {
    const { outputFiles } = buildSync({
      entryPoints: [new URL("../../lib/redaction/redact.ts", import.meta.url).pathname],
      bundle: true,
      minify: true,
      charset: "utf8",
      format: "esm",
      write: false,
    });
    const minifiedBytes = outputFiles.reduce((sum, { contents }) => sum + contents.byteLength, 0);
    console.log(`minified: ${minifiedBytes} bytes, ${publishedKinds.length} kinds`);
    expect(minifiedBytes).toBeLessThan(minifiedBytesMax);
  });
});
