const body = "{hex:40}";
const inside = (before: string, after = "") => `x ${before}cr-${body}${after} x`;
const found = (before: string, after = "") => `x ${before}«service_api_key|cr-${body}»${after} x`;
const certificate = "-----BEGIN CERTIFICATE-----\nMIIB7jCCAaCgAwIBAgIQQb{base64:42}";

export const tokens: Record<string, readonly string[]> = {
  "a token is found in an attribute of a tag that only formats": [
    '<div data-key="«github_token|ghp_{alnum:36}»"></div>',
    '<p id="«github_token|ghp_{alnum:36}»">text</p>',
    "«clojars_token|CLOJARS_{alnum:60}»",
    "«datadog_app_key|ddapp_{alnum:34}»",
  ],
  "a token has no letter or digit directly before or after it": [
    ..."09AZaz".split("").map((neighbour) => inside(neighbour)),
    ..."gz".split("").map((neighbour) => inside("", neighbour)),
    ..."GZ".split("").map((neighbour) => `«high_entropy_value|cr-${body}${neighbour}»`),
    ..."/:@[`{_é".split("").flatMap((neighbour) => [found(neighbour), found("", neighbour)]),
    `«service_api_key|cr-${body}»`,
  ],
  "a token is found directly after an escape": [
    found("\\n"),
    found("%3D"),
    found("%n"),
    inside("nn"),
    inside("n"),
    inside("D3n"),
    inside("n", "%%"),
  ],
  "a token has the length that its rule requires": [
    "cr-{hex:39}",
    "«service_api_key|cr-{hex:40}»",
    "«aws_access_key|AKIA{base32:16}»",
    "AKIA{base32:15}",
    "AKIA{base32:17}",
    "«twilio_key|SK{hex:32}»",
    "«high_entropy_value|SK{hex:33}»",
    "x/Signature={hex:63}",
  ],
  "a token has at least six different characters after its prefix, and eight in all": [
    "glsa_abcdeabcdeabcdeabcdeabcdeabcdeabcde",
    "«service_api_key|cr-abcdefabcdefabcdefabcdefabcdefabcdefabcd»",
    "cr-abcd0abcd0abcd0abcd0abcd0abcd0abcd0abcd0",
    "cr-aaaaabbbbbaaaaabbbbbaaaaabbbbbaaaaabbbbb",
    "npm_abcdabcdabcdabcdabcdabcdabcdabcdabcd",
    "AKIABCDKIABCDKIABCDK",

    "AKIAKKKKKKIIIIIIAAAA",
    "SK0123012301230123012301230123012301",
  ],
  "a token gets its kind from the longest prefix": [
    "«langfuse_key|sk-lf-{alnum:20}T3BlbkFJ{alnum:20}»",
    "«openai_key|sk-{alnum:20}T3BlbkFJ{alnum:20}»",
    "«stripe_key|sk_live_{alnum:24}»",
  ],
  "a token that is rejected is not searched for other tokens": [
    "api-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-cr-{hex:40} x",
    "api-a+«service_api_key|cr-{hex:40}» x",
  ],
  "a token is found after a certificate whose END is missing": [
    `${certificate}\nGITHUB_TOKEN=«github_token|ghp_{alnum:36}»`,
    `${certificate}\nand «github_token|ghp_{alnum:36}» too`,
    `${certificate}\n{"id_token": "«jwt|eyJ{alnum:17}.{alnum:30}.{alnum:40}»"}`,
    `${certificate}\nAWS_SECRET_ACCESS_KEY=«aws_secret_key|{base64:40}»`,
  ],
  "a token is recognized by its form from twenty-nine characters on": [
    "«licence_key|{upperalnum:5}-{upperalnum:5}-{upperalnum:5}-{upperalnum:5}-{upperalnum:4}7»",
    "«mailchimp_key|{hex:32}-us1»",
    "{hex:31}-us1",
    "x=«mailchimp_key|{hex:32}-us21»",
  ],
};

const shaped = "Xk9!pQz7Rt2bW";

export const contexts: Record<string, readonly string[]> = {
  "a context counts on the line of the secret": [
    `pass «password|${shaped}»`,
    `pass «password|${shaped}»\nnext\nline`,
    `a\npass «password|${shaped}»`,
    `\na pass, you know\n${shaped}`,
    `pass «password|${shaped}» and «password|${shaped}»\n${shaped}`,
    "pass!X9k7Qz2bWt",
    "x pass!X9k7Qz2bWt",
  ],
  "a context is ignored inside a marker": [
    `pass «password|${shaped}» [REDACTED:`,
    `[REDACTED:url_password] ${shaped}`,
    `[REDACTED:x] pass «password|${shaped}»`,
    `curl -u [REDACTED:1password_key] https://example.com`,
    `mysql://[REDACTED:x:${shaped}@host`,
  ],
  "a context needs a keyword, which may be elsewhere in the text": [
    'twilio("AC{hex:32}", "«twilio_key|{hex:32}»")',
    'f("AC{hex:32}", "«twilio_key|{hex:32}»")',
  ],
};
