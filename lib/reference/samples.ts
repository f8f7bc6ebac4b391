import type { SampleRequest } from "./sample-request.ts";

/** A placeholder for the service's address; the page replaces it with its own. */
export const sampleAddress = "https://api.example.com";

export type Sample = { readonly language: "curl" | "TypeScript" | "Python"; readonly code: string };

export const samplesOf = (request: SampleRequest): readonly Sample[] => [
  { language: "curl", code: curl(request) },
  { language: "TypeScript", code: typescript(request) },
  { language: "Python", code: python(request) },
];

const queryString = (query: SampleRequest["query"]): string => {
  const text = new URLSearchParams(query).toString();
  return text === "" ? "" : `?${text}`;
};

function curl({ method, path, query, body }: SampleRequest): string {
  const words = [
    `curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}"${sampleAddress}${path}${queryString(query)}"`,
    '-H "x-service-api-key: $REVIEW_API_KEY"',
    ...(body === undefined
      ? []
      : ['-H "content-type: application/json"', `-d '${shellQuoted(JSON.stringify(body, null, 2))}'`]),
  ];
  return words.join(" \\\n  ");
}

const shellQuoted = (text: string): string => text.replaceAll("'", "'\\''");

/** Uses the typed client, which retries and pages by itself. */
function typescript({ operation, pathParameters, query, body, isPaged, isEmpty }: SampleRequest): string {
  const request = {
    ...(Object.keys(pathParameters).length > 0 && { path: pathParameters }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(body !== undefined && { body }),
  };
  const words = Object.keys(request).length > 0 ? literal(request) : "";
  const head = [
    'import { createClient } from "review-api/client";',
    "",
    `const api = createClient({ baseUrl: "${sampleAddress}", key: process.env.REVIEW_API_KEY ?? "" });`,
  ];
  if (isPaged)
    return [
      ...head,
      `for await (const { body } of api.pages(${[`"${operation}"`, words].filter(Boolean).join(", ")})) {`,
      "  console.log(body);",
      "}",
    ].join("\n");
  const answer = isEmpty ? "status" : "body";
  return [...head, `const { ${answer} } = await api.${operation}(${words});`, `console.log(${answer});`].join(
    "\n",
  );
}

/** JSON with property names in TypeScript syntax. */
const literal = (value: object): string =>
  JSON.stringify(value, null, 2).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");

/** Uses only the standard library, so it runs on every Python installation. */
function python(request: SampleRequest): string {
  return [...pythonSend(request), "", ...(request.isPaged ? pythonWalk(request) : pythonCall(request))].join(
    "\n",
  );
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
  "            with build_opener(NoRedirects).open(request) as answer:",
  `                return ${isEmpty ? "answer.status" : "json.load(answer)"}`,
  "        except HTTPError as error:",
  "            if error.code not in (429, 503) or attempt == 4:",
  '                sys.exit(f"{error.code} {error.read().decode()}")',
  '            time.sleep(int(error.headers.get("retry-after", "1")))',
];

const pythonWalk = ({ path, query }: SampleRequest): string[] => [
  `query = ${pythonLiteral(query)}`,
  "while True:",
  `    url = "${sampleAddress}${path}?" + urlencode(query)`,
  '    page = send(Request(url, headers={"x-service-api-key": os.environ["REVIEW_API_KEY"]}))',
  "    print(page)",
  '    if page["next_cursor"] is None:',
  "        break",
  '    query["cursor"] = page["next_cursor"]',
];

function pythonCall({ method, path, query, body }: SampleRequest): string[] {
  const headers = [
    '"x-service-api-key": os.environ["REVIEW_API_KEY"]',
    ...(body === undefined ? [] : ['"content-type": "application/json"']),
  ];
  return [
    ...(body === undefined ? [] : [`body = ${pythonLiteral(body)}`]),
    "request = Request(",
    `    "${sampleAddress}${path}${queryString(query)}",`,
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
