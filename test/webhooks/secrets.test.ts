import { expect, test } from "vitest";
import { webhookLimits } from "../../lib/contract/limits.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { newSecret, readOrMakeSealingKey, validSecrets, withNewSecret } from "../../lib/webhooks/secrets.ts";
import { useStore } from "../support/engine.ts";

const store = useStore();
const key = systemRandom.bytes(32);
const rotated = (times: number, everyMs: number) => {
  let item = withNewSecret({ key, random: systemRandom, nowMs: 0 }, "w1", newSecret(systemRandom));
  for (let count = 1; count <= times; count++)
    item = withNewSecret(
      { key, random: systemRandom, nowMs: count * everyMs },
      "w1",
      newSecret(systemRandom),
      item.secrets,
    );
  return item;
};

test("an old secret signs for 24 hours after its rotation, not longer", () => {
  const item = rotated(1, 1_000);
  expect(validSecrets(key, "w1", item, 1_000 + webhookLimits.rotationGraceMs - 1)).toHaveLength(2);
  expect(validSecrets(key, "w1", item, 1_000 + webhookLimits.rotationGraceMs)).toHaveLength(1);
});

test("however often a secret is rotated, only a few old ones still sign", () => {
  const item = rotated(100, 1_000);
  expect(item.secrets).toHaveLength(1 + webhookLimits.oldSecretsMax);
  expect(new Set(validSecrets(key, "w1", item, 100_000)).size).toBe(1 + webhookLimits.oldSecretsMax);
});

test("a sealed secret cannot be used for another webhook, or with another key", () => {
  const item = rotated(0, 0);
  expect(() => validSecrets(key, "w2", item, 0)).toThrow();
  expect(() => validSecrets(systemRandom.bytes(32), "w1", item, 0)).toThrow();
});

test("of two first webhooks at once both are sealed with the key that stays", async () => {
  const { table } = store();
  let first: Uint8Array | undefined;
  const get: typeof table.get = async (...given) => {
    const item = await table.get(...given);
    // Both have seen that there is no key.
    first ??= await readOrMakeSealingKey(table, systemRandom);
    return item;
  };
  expect(await readOrMakeSealingKey({ ...table, get }, systemRandom)).toEqual(first);
  expect(await readOrMakeSealingKey(table, systemRandom)).toEqual(first);
});
