import { existsSync } from "node:fs";

export const chromiumPath = "/usr/bin/chromium";
export const hasChromium = existsSync(chromiumPath);

/** Nothing that a browser does on its own account: what it asks for, the page asked for. */
export const chromiumOptions = {
  executablePath: chromiumPath,
  headless: true,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
  handleSIGINT: false,
  handleSIGTERM: false,
  handleSIGHUP: false,
};
