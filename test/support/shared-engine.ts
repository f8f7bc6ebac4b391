import { chooseEngine, engineVariable, startEngine } from "../../cli/local/engine/engine.ts";

export const sharedEndpointVariable = "TEST_DYNAMODB_ENDPOINT";

/** Before the first test: one engine for all of them, where a test file cannot start its own in milliseconds. */
export default async function shareEngine(): Promise<(() => Promise<void>) | undefined> {
  const kind = chooseEngine();
  process.env[engineVariable] = kind.name;
  if (kind.startsAtOnce) return undefined;
  const engine = await startEngine({ kind, isForManyCalls: true });
  process.env[sharedEndpointVariable] = engine.endpoint;
  return () => engine.stop();
}
