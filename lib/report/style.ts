import { Markup } from "./markup.ts";

const steps = Array.from({ length: 11 }, (_, step) => step);

/** The steps of the heat map: text has a contrast of at least 4.5 to 1 on every step, in both colour schemes. */
const heat = (light: (step: number) => string): string =>
  steps.map((step) => `.heat-${step} { background: ${light(step)}; }`).join("\n");

/** For light and dark, wide and narrow, screen and paper. */
export const style = new Markup(`
:root { color-scheme: light dark; --text: #1b1f27; --soft: #4a5361; --line: #d5dae2; --back: #fff; --one: #1f5fbf; --two: #b3470b; }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.5rem; } h2 { margin-top: 2.5rem; font-size: 1.2rem; }
.headlines { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 0.75rem; margin: 1rem 0; }
.headlines div { padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 6px; }
dt { color: var(--soft); font-size: 0.875rem; } dd { margin: 0.25rem 0 0; font-weight: 600; }
.note { color: var(--soft); font-size: 0.875rem; max-width: 60rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem; }
figure { margin: 0; } figcaption { font-weight: 600; font-size: 0.875rem; }
.chart { width: 100%; height: auto; font: 11px system-ui, sans-serif; fill: var(--soft); }
.bar { fill: var(--one); } .line { fill: none; stroke-width: 2; } .grid { stroke: var(--line); }
.line.series-0 { stroke: var(--one); } .dot.series-0 { fill: var(--one); }
.line.series-1 { stroke: var(--two); stroke-dasharray: 6 3; } .dot.series-1 { fill: var(--two); }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 0.875rem; margin-top: 1rem; }
caption { text-align: left; color: var(--soft); padding-bottom: 0.25rem; }
th, td { padding: 0.3rem 0.6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
thead th { vertical-align: bottom; white-space: normal; } th[scope="row"], thead th:first-child { text-align: left; }
${heat((step) => `hsl(212 70% ${96 - step * 3}%)`)}
@media (prefers-color-scheme: dark) {
:root { --text: #e8ebf0; --soft: #aab3c0; --line: #3a424e; --back: #14181f; --one: #7db0ff; --two: #ffa26b; }
${heat((step) => `hsl(212 55% ${12 + step * 2}%)`)}
}
@media print { main { max-width: none; } .scroll { overflow: visible; } table { font-size: 0.7rem; } h2, figure { break-inside: avoid; } }
`);
