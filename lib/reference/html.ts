/** Text becomes HTML here and nowhere else: whatever a page shows goes through one of these. */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** A line of Markdown: `code`, **strong** and [links](target). Code first: nothing inside it counts as anything else. */
export const inline = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? `<code>${escaped(part.slice(1, -1))}</code>` : words(part)))
    .join("");

/** Links between the pages lose their `.md`; others stay as they are. */
const words = (text: string): string =>
  escaped(text)
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replace(
      /\[([^\]]*)\]\(([^)\s]*)\)/g,
      (_, label: string, target: string) => `<a href="${target.replace(/\.md(?=#|$)/, "")}">${label}</a>`,
    );

/** As on the sites that show Markdown, so that the same links lead to the same place. */
export const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");

/** Code under a line that names it. It scrolls where it is wider than its place, also by keyboard. */
export const codeBlock = (code: string, language: string, name = `Code, ${language}`): string =>
  [
    `<div class="code"><div class="bar"><span aria-hidden="true">${escaped(language)}</span></div>`,
    `<pre tabindex="0" role="group" aria-label="${escaped(name)}"><code>${highlighted(code)}</code></pre></div>`,
  ].join("");

const shownWords =
  "as|await|break|const|for|from|if|import|is|of|print|while|with|None|True|False|null|true|false";
/** Names of JSON, other strings, words and numbers: enough for the samples and examples of these pages. */
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
