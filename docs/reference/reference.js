/* global SwaggerUIBundle */

/** The page is <base>/docs, whatever stands before it, such as a stage's name. */
const base = new URL(".", document.baseURI);
const place = document.querySelector("#reference");

async function show() {
  const answer = await fetch(new URL("openapi.json", base));
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  const document = await answer.json();
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
