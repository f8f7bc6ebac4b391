/** Why the test runner does not work on this version of Node; undefined if it does. */
export function refusalOfNode(version: string): string | undefined {
  const major = Number.parseInt(version.slice(1), 10);
  if (major >= 22) return undefined;
  return `The tests need Node 22 or newer, and this is ${version}: the test runner would end without a result for a failing test. Run them with npm or npx, which use the project's own Node: npx vitest run FILE`;
}

const refusal = refusalOfNode(process.version);
if (refusal !== undefined) {
  console.error(refusal);
  process.exit(1);
}
