/** Browsers with trusted types accept only a policy's result where text becomes script. */
type Policy = { createScriptURL(address: string): string };

declare global {
  // Actually returns an object that represents the text; its consumers accept both.
  var trustedTypes: { createPolicy(name: string, rules: Policy): Policy } | undefined;
}

/** The only address that may become a script: the page's own worker. */
const workerScript = "dashboard/worker.js";
let policy: Policy | undefined;

export function workerAddress(): string {
  policy ??= globalThis.trustedTypes?.createPolicy("dashboard", { createScriptURL: () => workerScript });
  return policy?.createScriptURL(workerScript) ?? workerScript;
}
