/**
 * What the pages of the reference do beyond being read: colours, samples with the service's own address and with the last
 * 30 days, copying, search, and calling an operation. They are whole without it. Nothing here asks anybody but the service the page came from.
 */

/** A browser may forbid its storage, and throws then. It is asked for by name: naming it throws already. */
const storageOf = (storage) => ({
  read(name) {
    try {
      return window[storage].getItem(name);
    } catch {
      // A browser that keeps nothing shows the page all the same.
      return null;
    }
  },
  keep(name, value) {
    try {
      window[storage].setItem(name, value);
    } catch {}
  },
  forget(name) {
    try {
      window[storage].removeItem(name);
    } catch {}
  },
});
const stored = storageOf("localStorage");
const storedInTab = storageOf("sessionStorage");

/* Before the page is drawn: it would flash otherwise. */
const schemeName = "review-api-scheme";
const chosen = stored.read(schemeName);
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.scheme = chosen;

document.addEventListener("DOMContentLoaded", () => {
  /** Where the service is, whatever stands before /docs, such as a stage's name. */
  const base = new URL(`${document.body.dataset.up || "."}`, document.baseURI).href.replace(/\/$/, "");
  offerSchemes();
  showCurrent();
  useOwnAddress(base);
  useOwnDates();
  rememberLanguage();
  offerCopies();
  offerSearch(base);
  offerCalls(base);
});

const element = (id) => document.getElementById(id);

function offerSchemes() {
  const button = element("scheme");
  const next = { system: "light", light: "dark", dark: "system" };
  const current = () => document.documentElement.dataset.scheme ?? "system";
  const show = () => {
    button.querySelector("span").textContent = current();
    button.setAttribute("aria-label", `Theme: ${current()}. Change it to ${next[current()]}.`);
  };
  button.addEventListener("click", () => {
    const scheme = next[current()];
    if (scheme === "system") delete document.documentElement.dataset.scheme;
    else document.documentElement.dataset.scheme = scheme;
    stored.keep(schemeName, scheme);
    show();
  });
  show();
  button.hidden = false;
}

/** The menu is longer than the window. */
function showCurrent() {
  const menu = element("menu");
  const current = menu.querySelector("[aria-current]");
  if (current && current.offsetTop > menu.clientHeight)
    menu.scrollTop = current.offsetTop - menu.clientHeight / 2;
}

/** Samples can be pasted as they are. */
const useOwnAddress = (base) => replaceIn("pre code", "https://api.example.com", base);

/** A sample asks for the last 30 days: the days of the document's example may have no data. */
function useOwnDates() {
  const samples = document.querySelector(".samples[data-start]");
  if (!samples) return;
  replaceIn(".sample code", samples.dataset.start, dayBefore(30));
  replaceIn(".sample code", samples.dataset.end, dayBefore(0));
}

const msPerDay = 86_400_000;
const dayBefore = (days) => new Date(Date.now() - days * msPerDay).toISOString().slice(0, 10);

function replaceIn(selector, text, replacement) {
  for (const code of document.querySelectorAll(selector)) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(text, replacement);
  }
}

function rememberLanguage() {
  const name = "review-api-language";
  const wanted = stored.read(name);
  for (const radio of document.querySelectorAll("input[name=language]")) {
    if (radio.value === wanted) radio.checked = true;
    radio.addEventListener("change", () => stored.keep(name, radio.value));
  }
}

function offerCopies() {
  // Without HTTPS a browser gives no clipboard.
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll(".code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy: ${block.querySelector("pre").getAttribute("aria-label")}`);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.querySelector("code").textContent);
      button.textContent = "Copied";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 2_000);
    });
    block.querySelector(".bar").append(button);
  }
}

function offerSearch(base) {
  const dialog = element("search");
  const text = element("search-text");
  const button = element("search-open");
  const shownMax = 40;
  /** Asked for once, when somebody searches. */
  let everything;
  const load = async () => {
    const answer = await fetch(`${base}/docs/search.json`);
    if (!answer.ok) throw new Error(`The search cannot be loaded: ${answer.status}.`);
    return await answer.json();
  };

  async function find() {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    try {
      everything ??= load();
      const found = words.length === 0 ? [] : ranked(await everything, words);
      element("search-found").replaceChildren(...found.slice(0, shownMax).map((each) => item(each, base)));
      const more = found.length > shownMax ? `, the first ${shownMax} are shown` : "";
      element("search-count").textContent = words.length === 0 ? "" : `${found.length} found${more}.`;
    } catch (error) {
      everything = undefined;
      element("search-count").textContent = error.message;
    }
  }

  const open = () => {
    dialog.showModal();
    text.select();
    find();
  };
  button.addEventListener("click", open);
  text.addEventListener("input", find);
  dialog.addEventListener("keydown", (event) => walkResults(event, text));
  // A link to the page it is on would leave the dialog open.
  dialog.addEventListener("click", (event) => {
    if (event.target.closest("a") || event.target === dialog) dialog.close();
  });
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    // By itself a search field only empties itself at the first Escape.
    if (event.key === "Escape") dialog.close();
    else document.querySelector("#search-found a")?.click();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select, dialog");
    const isAsked = event.key === "/" || (event.key === "k" && (event.metaKey || event.ctrlKey));
    if (isTyping || !isAsked) return;
    event.preventDefault();
    open();
  });
  button.hidden = false;
}

/** Every word must be there; one in the title counts more, and a title that is the word most. */
function ranked(everything, words) {
  const scored = [];
  for (const each of everything) {
    const title = each.title.toLowerCase();
    const all = `${title} ${each.kind} ${each.text}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) continue;
    let score = 0;
    for (const word of words) {
      if (title.split(/[^a-z0-9_]+/).includes(word)) score += 4;
      else if (title.includes(word)) score += 2;
    }
    if (!each.to.includes("#")) score += 1;
    // What one can call comes before the errors that the same word names.
    const [, id] = /^\/docs\/operations\/(\w+)$/.exec(each.to) ?? [];
    if (id && words.every((word) => `${title} ${id}`.toLowerCase().includes(word))) score += 3;
    scored.push({ each, score });
  }
  return scored.sort((left, right) => right.score - left.score).map(({ each }) => each);
}

function item({ to, title, kind, text }, base) {
  const link = document.createElement("a");
  link.href = `${base}${to}`;
  const parts = [
    ["strong", title],
    ["span", kind],
    ["span", text.length > 140 ? `${text.slice(0, 140)}…` : text],
  ];
  for (const [tag, words] of parts) {
    const part = document.createElement(tag);
    part.textContent = words;
    link.append(part);
  }
  const place = document.createElement("li");
  place.append(link);
  return place;
}

function walkResults(event, text) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const stops = [text, ...document.querySelectorAll("#search-found a")];
  const step = event.key === "ArrowDown" ? 1 : -1;
  const next = stops[stops.indexOf(document.activeElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** The key is in memory, or in this tab if asked: never in an address, and gone with the tab. */
const keyName = "review-api-key";

function offerCalls(base) {
  const form = document.querySelector("form.try");
  if (!form) return;
  const key = element("try-key");
  const keep = element("try-keep");
  key.value = storedInTab.read(keyName) ?? "";
  keep.checked = key.value !== "";
  const keepOrForget = () => {
    if (keep.checked) storedInTab.keep(keyName, key.value);
    else storedInTab.forget(keyName);
  };
  keep.addEventListener("change", keepOrForget);
  key.addEventListener("change", keepOrForget);
  // A window that has something in it, today too.
  fillDate("start_date", 30);
  fillDate("end_date", 0);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form, base, key.value.trim());
  });
  form.addEventListener("input", () => showInSamples(form, base));
  element("try").hidden = false;
  element("try-open").hidden = false;
  // The address may name the form, which was not there yet.
  if (location.hash === "#try") element("try").scrollIntoView();
}

function fillDate(name, daysAgo) {
  const input = element(`input-${name}`);
  if (input?.required) input.value = dayBefore(daysAgo);
}

function requestOf(form, base) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll("[data-name]")) {
    const { name, in: place } = input.dataset;
    if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(input.value));
    else if (input.value !== "") query.append(name, input.value);
  }
  return `${base}${path}${query.size > 0 ? `?${query}` : ""}`;
}

/** The samples send what the form sends; the key stays in its field. */
function showInSamples(form, base) {
  const values = { path: {}, query: {} };
  for (const { value, dataset } of form.querySelectorAll("[data-name]"))
    if (value !== "") values[dataset.in][dataset.name] = "integer" in dataset ? Number(value) : value;
  const address = requestOf(form, "");
  const [path, search = ""] = address.split("?");
  const isRead = form.dataset.method === "GET";
  const lines = isRead ? search.split("&").filter(Boolean) : [];
  const body = bodyOf();
  const request = Object.entries({ ...values, body }).filter(
    ([, each]) => each && Object.keys(each).length > 0,
  );
  const marks = {
    curl: {
      flags: isRead ? (lines.length > 0 ? "-G " : "") : `-X ${form.dataset.method} `,
      path: isRead ? path : address,
      data: lines.map((each) => ` \\\n  -d "${each}"`).join(""),
      body: (element("try-body")?.value ?? "").replaceAll("'", "'\\''"),
    },
    TypeScript: {
      request: literal(Object.fromEntries(request)).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:"),
    },
    Python: {
      path,
      search: search && `?${search}`,
      query: pythonOf(values.query),
      body: pythonOf(body),
    },
  };
  for (const sample of document.querySelectorAll(".sample")) {
    const { language, template } = sample.dataset;
    sample.querySelector("code").textContent = template
      .replaceAll("https://api.example.com", base)
      .replaceAll(/«(\w+)»/g, (_, name) => marks[language][name]);
  }
}

/** Text that is not JSON yet is shown as it is typed. */
function bodyOf() {
  const text = element("try-body")?.value;
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const literal = (value) => JSON.stringify(value, null, 2);

/** JSON is Python except for three words outside strings. */
const pythonOf = (value) =>
  JSON.stringify(value ?? null, null, 4).replaceAll(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (word) => ({ true: "True", false: "False", null: "None" })[word] ?? word,
  );

async function send(form, base, key) {
  const status = element("try-status");
  const place = element("try-answer");
  const body = element("try-body")?.value;
  status.textContent = "Waiting for the response …";
  place.hidden = true;
  const begun = performance.now();
  try {
    const headers = {
      "x-service-api-key": key,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const answer = await fetch(requestOf(form, base), { method: form.dataset.method, headers, body });
    const text = await answer.text();
    const ms = Math.round(performance.now() - begun);
    const left = answer.headers.get("x-ratelimit-remaining");
    status.textContent = `${answer.status} after ${ms} ms, request ${answer.headers.get("x-request-id")}${left ? `, ${left} more requests are free` : ""}.`;
    place.querySelector("code").textContent = shown(text);
    place.hidden = text === "";
  } catch (error) {
    status.textContent = `No response came from ${base}: ${error.message}.`;
  }
}

/** A browser that draws 16 MiB of text is busy for a while. */
const charactersMax = 200_000;

function shown(text) {
  let pretty = text;
  try {
    pretty = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // CSV and NDJSON stay as they come.
  }
  return pretty.length > charactersMax ? `${pretty.slice(0, charactersMax)}\n… cut here.` : pretty;
}
