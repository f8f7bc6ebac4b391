/* global SwaggerUIBundle */

/** The page is <base>/docs, whatever stands before it, such as a stage's name. */
const base = new URL(".", document.baseURI);
const place = document.querySelector("#reference");

const msPerDay = 86_400_000;
const daysAgo = (days) => new Date(Date.now() - days * msPerDay).toISOString().slice(0, 10);
/** A window that has something in it, today too. */
const filledIn = { start_date: daysAgo(30), end_date: daysAgo(0) };

/** Examples are shown, but only what must be sent is filled in: a filter nobody asked for would hide the answer. */
function quietParameter(parameter) {
  const { example, ...rest } = parameter;
  if (parameter.required) return { ...parameter, example: filledIn[parameter.name] ?? example };
  const shown = example === undefined ? "" : ` For example \`${[example].flat().join(", ")}\`.`;
  return { ...rest, description: `${rest.description}${shown}` };
}

/** The headers of a success stand for those of all answers; an error shows what only it has. */
function quietResponse([status, { headers, ...rest }]) {
  const { "retry-after": retryAfter } = headers;
  const shown = status < "400" ? headers : retryAfter && { "retry-after": retryAfter };
  return [status, { ...rest, ...(shown && { headers: shown }) }];
}

/** The document as people read it: what repeats itself on every line is left out. */
function quiet({ paths, ...rest }) {
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    operation.parameters = operation.parameters.map(quietParameter);
    operation.responses = Object.fromEntries(Object.entries(operation.responses).map(quietResponse));
  }
  return { ...rest, paths };
}

async function show() {
  const answer = await fetch(new URL("openapi.json", base));
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  const document = quiet(await answer.json());
  SwaggerUIBundle({
    domNode: place,
    // Calls go to where the page came from.
    spec: { ...document, servers: [{ url: base.href.replace(/\/$/, "") }] },
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    filter: true,
    // A key is kept in memory only: it is gone with the page.
    persistAuthorization: false,
    tryItOutEnabled: true,
    // Nobody else is asked whether the document is sound.
    validatorUrl: null,
    onComplete: () => place.setAttribute("aria-busy", "false"),
  });
}

show().catch((error) => {
  place.setAttribute("aria-busy", "false");
  place.textContent = `The reference cannot be shown: ${error.message}`;
});
