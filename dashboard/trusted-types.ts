/** Browsers that know trusted types take only what a policy made where text becomes script. */
type Policy = { createScriptURL(address: string): string };

declare global {
  // In truth it makes an object that stands for the text; whoever takes it takes either.
  var trustedTypes: { createPolicy(name: string, rules: Policy): Policy } | undefined;
}

/** The one address that may become a script: the page's own worker. */
const workerScript = "dashboard/worker.js";
let policy: Policy | undefined;

export function workerAddress(): string {
  policy ??= globalThis.trustedTypes?.createPolicy("dashboard", { createScriptURL: () => workerScript });
  return policy?.createScriptURL(workerScript) ?? workerScript;
}
