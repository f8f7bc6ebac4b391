import type { Endpoint, Parameter } from "./document.ts";
import { escaped } from "./html.ts";
import { sampleRequest } from "./sample-request.ts";

/**
 * Calls the operation from the page, with the reader's key. The script shows the form: without the script it would do
 * nothing. Only required values are filled in: a filter that the reader did not choose would hide results.
 */
export function tryForm(endpoint: Endpoint): string {
  const { method, path, parameters } = endpoint;
  const { body } = sampleRequest(endpoint);
  return [
    `<section id="try" hidden><h2>Try it</h2>`,
    `<p>The request goes to this service and nowhere else.${method === "get" ? "" : " <strong>It changes data.</strong>"}</p>`,
    `<form class="try" data-method="${method.toUpperCase()}" data-path="${escaped(path)}">`,
    '<div class="line"><label for="try-key">API key</label><input id="try-key" type="password" autocomplete="one-time-code" spellcheck="false"></div>',
    '<div class="line"><label class="check"><input id="try-keep" type="checkbox"> Keep the key until this tab is closed</label></div>',
    ...parameters.map(parameterLine),
    ...(body === undefined
      ? []
      : [
          `<div class="line"><label for="try-body">Body, JSON</label><textarea id="try-body" rows="10" spellcheck="false">${escaped(JSON.stringify(body, null, 2))}</textarea></div>`,
        ]),
    '<div class="line"><button type="submit">Send</button></div>',
    "</form>",
    '<p id="try-status" role="status"></p>',
    '<div class="code" id="try-answer" hidden><div class="bar"><span aria-hidden="true">Response</span></div><pre tabindex="0" role="group" aria-label="Response"><code></code></pre></div>',
    "</section>",
  ].join("\n");
}

function parameterLine({ name, in: place, required, schema, example }: Parameter): string {
  const id = `input-${name}`;
  const shared = `id="${id}" data-in="${place}" data-name="${escaped(name)}"${schema.type === "integer" ? " data-integer" : ""}${required ? " required" : ""}`;
  const label = `<label for="${id}">${escaped(name)}${required ? " (required)" : ""}</label>`;
  if (schema.enum) {
    const values = [...(required ? [] : [""]), ...schema.enum.map(String)];
    const options = values.map((value) => `<option value="${escaped(value)}">${escaped(value)}</option>`);
    return `<div class="line">${label}<select ${shared}>${options.join("")}</select></div>`;
  }
  const value = required && place === "path" ? ` value="${escaped(String(example))}"` : "";
  const date = schema.format === "date" ? ' type="date"' : ' autocomplete="off" spellcheck="false"';
  return `<div class="line">${label}<input ${shared}${date}${value}></div>`;
}
