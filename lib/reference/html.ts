/** Text is converted to HTML only here: everything that a page shows goes through one of these functions. */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Returns the address of a text's link on a page; undefined if there is none: then only its words are shown. */
export type Link = (target: string) => string | undefined;
const asWritten: Link = (target) => target;

/** Converts a line of Markdown: `code`, **strong** and [links](target). Marks inside code are not interpreted. */
export const inline = (text: string, link = asWritten): string => {
  const codes = text.match(/`[^`]*`/g) ?? [];
  const parts = escaped(text.replaceAll(/`[^`]*`/g, codeMark))
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replace(/\[([^\]]*)\]\(([^)\s]*)\)/g, (_, label: string, target: string) => {
      const to = link(target);
      return to === undefined ? label : `<a href="${to}">${label}</a>`;
    })
    .split(codeMark);
  return parts
    .map((part, index) => part + (codes[index] ? `<code>${escaped(codes[index].slice(1, -1))}</code>` : ""))
    .join("");
};
/** No text contains this character. */
const codeMark = "\u0000";

/** The same anchors as on sites that show Markdown, so that the same links lead to the same place. */
export const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");

/** Code under a line that names it. It scrolls if it is too wide, also by keyboard. */
export const codeBlock = (code: string, language: string, name = `Code, ${language}`): string =>
  [
    `<div class="code"><div class="bar"><span aria-hidden="true">${escaped(language)}</span></div>`,
    `<pre tabindex="0" role="group" aria-label="${escaped(name)}"><code>${highlighted(code)}</code></pre></div>`,
  ].join("");

const shownWords =
  "as|await|break|const|for|from|if|import|is|of|print|while|with|None|True|False|null|true|false";
/** Names in JSON, other strings, words and numbers: sufficient for the samples and examples of these pages. */
const tokens = new RegExp(
  `("(?:[^"\\\\\n]|\\\\.)*")(:)?|(?<![\\w.$-])(?:(${shownWords})|(\\d+(?:\\.\\d+)?))(?![\\w.-])`,
  "g",
);

function highlighted(code: string): string {
  let html = "";
  let end = 0;
  for (const match of code.matchAll(tokens)) {
    const [all, text, colon = "", word] = match;
    const kind = text === undefined ? (word === undefined ? "number" : "word") : colon ? "key" : "text";
    const token = colon ? all.slice(0, -1) : all;
    html += `${escaped(code.slice(end, match.index))}<span class="${kind}">${escaped(token)}</span>${colon}`;
    end = match.index + all.length;
  }
  return html + escaped(code.slice(end));
}
