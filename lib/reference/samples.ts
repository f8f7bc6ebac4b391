import { required } from "../runtime/required.ts";
import type { SampleRequest } from "./sample-request.ts";

/** A placeholder for the service's address; the page replaces it with its own. */
export const sampleAddress = "https://api.example.com";

export type Sample = {
  readonly language: "curl" | "TypeScript" | "Python";
  readonly code: string;
  /** The code with marks such as `«query»`: the page fills them with the values of its form. */
  readonly template: string;
};

export const samplesOf = (request: SampleRequest): readonly Sample[] =>
  (
    [
      ["curl", curlTemplate(request), curlMarks(request)],
      ["TypeScript", typescriptTemplate(request), { request: typescriptRequest(request) }],
      ["Python", pythonTemplate(request), pythonMarks(request)],
    ] as const
  ).map(([language, template, marks]) => ({ language, template, code: filled(template, marks) }));

const filled = (template: string, marks: Readonly<Record<string, string>>): string =>
  template.replaceAll(/«(\w+)»/g, (_, name: string) => required(marks[name], `value of the mark ${name}`));

const queryString = (query: SampleRequest["query"]): string => {
  const text = new URLSearchParams(query).toString();
  return text === "" ? "" : `?${text}`;
};

/** Every parameter has a line of its own. reference.js fills the marks in the same way. */
const curlTemplate = ({ body }: SampleRequest): string =>
  [
    `curl «flags»"${sampleAddress}«path»"«data»`,
    '-H "x-service-api-key: $REVIEW_API_KEY"',
    ...(body === undefined ? [] : ['-H "content-type: application/json"', "-d '«body»'"]),
  ].join(lineBreak);

const lineBreak = " \\\n  ";

function curlMarks({ method, path, query, body }: SampleRequest): Readonly<Record<string, string>> {
  const isRead = method === "get";
  const data = new URLSearchParams(query)
    .toString()
    .split("&")
    .filter(Boolean)
    .map((each) => `${lineBreak}-d "${each}"`);
  return {
    flags: isRead ? (data.length > 0 ? "-G " : "") : `-X ${method.toUpperCase()} `,
    path: isRead ? path : `${path}${queryString(query)}`,
    data: isRead ? data.join("") : "",
    body: shellQuoted(JSON.stringify(body, null, 2) ?? ""),
  };
}

const shellQuoted = (text: string): string => text.replaceAll("'", "'\\''");

/** Uses the typed client, which retries and pages by itself. */
function typescriptTemplate({ operation, isPaged, isEmpty }: SampleRequest): string {
  const head = [
    'import { createClient } from "review-api/client";',
    "",
    `const api = createClient({ baseUrl: "${sampleAddress}", key: process.env.REVIEW_API_KEY ?? "" });`,
  ];
  if (isPaged)
    return [
      ...head,
      `for await (const { body } of api.pages("${operation}", «request»)) {`,
      "  console.log(body);",
      "}",
    ].join("\n");
  const answer = isEmpty ? "status" : "body";
  return [
    ...head,
    `const { ${answer} } = await api.${operation}(«request»);`,
    `console.log(${answer});`,
  ].join("\n");
}

function typescriptRequest({ pathParameters, query, body }: SampleRequest): string {
  const request = {
    ...(Object.keys(pathParameters).length > 0 && { path: pathParameters }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(body !== undefined && { body }),
  };
  return Object.keys(request).length > 0 ? literal(request) : "{}";
}

/** JSON with property names in TypeScript syntax. */
const literal = (value: object): string =>
  JSON.stringify(value, null, 2).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");

/** Uses only the standard library, so it runs on every Python installation. */
function pythonTemplate(request: SampleRequest): string {
  return [...pythonSend(request), "", ...(request.isPaged ? pythonWalk() : pythonCall(request))].join("\n");
}

/** Python's own opener would send the key along to whatever address an answer names. */
const pythonSend = ({ isPaged, isEmpty }: SampleRequest): string[] => [
  "import json, os, sys, time",
  "from urllib.error import HTTPError",
  ...(isPaged ? ["from urllib.parse import urlencode"] : []),
  "from urllib.request import HTTPRedirectHandler, Request, build_opener",
  "",
  "class NoRedirects(HTTPRedirectHandler):",
  "    def redirect_request(self, *args):",
  "        return None  # the key must not go to another address",
  "",
  "def send(request):",
  "    for attempt in range(5):",
  "        try:",
  "            with build_opener(NoRedirects).open(request) as response:",
  `                return ${isEmpty ? "response.status" : "json.load(response)"}`,
  "        except HTTPError as error:",
  "            if error.code not in (429, 503) or attempt == 4:",
  '                sys.exit(f"{error.code} {error.read().decode()}")',
  '            time.sleep(int(error.headers.get("retry-after", "1")))',
];

const pythonMarks = ({ path, query, body }: SampleRequest): Readonly<Record<string, string>> => ({
  path,
  search: queryString(query),
  query: pythonLiteral(query),
  body: pythonLiteral(body ?? null),
});

const pythonWalk = (): string[] => [
  "query = «query»",
  "while True:",
  `    url = "${sampleAddress}«path»?" + urlencode(query)`,
  '    page = send(Request(url, headers={"x-service-api-key": os.environ["REVIEW_API_KEY"]}))',
  "    print(page)",
  '    if page["next_cursor"] is None:',
  "        break",
  '    query["cursor"] = page["next_cursor"]',
];

function pythonCall({ method, body }: SampleRequest): string[] {
  const headers = [
    '"x-service-api-key": os.environ["REVIEW_API_KEY"]',
    ...(body === undefined ? [] : ['"content-type": "application/json"']),
  ];
  return [
    ...(body === undefined ? [] : ["body = «body»"]),
    "request = Request(",
    `    "${sampleAddress}«path»«search»",`,
    ...(method === "get" ? [] : [`    method="${method.toUpperCase()}",`]),
    ...(body === undefined ? [] : ["    data=json.dumps(body).encode(),"]),
    `    headers={${headers.join(", ")}},`,
    ")",
    "print(send(request))",
  ];
}

/** JSON is valid Python except for three words outside strings: a string is matched as a whole and kept. */
const pythonLiteral = (value: unknown): string =>
  JSON.stringify(value, null, 4).replaceAll(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (word) => ({ true: "True", false: "False", null: "None" })[word] ?? word,
  );
