import { createCipheriv, createDecipheriv } from "node:crypto";
import * as z from "zod";
import * as kinds from "../contract/items.ts";
import { webhookLimits } from "../contract/limits.ts";
import type { Random } from "../runtime/random.ts";
import { required } from "../runtime/required.ts";
import { itemSchema, parseItem } from "../store/items/parse.ts";
import type { WebhookSecretsItem } from "../store/items/webhook.ts";
import { type Item, type Table, writeIf } from "../store/table.ts";
import { secretText } from "./sign.ts";

const keyItem = itemSchema({ key: z.instanceof(Uint8Array) });
const parseKeyItem = parseItem("key of the webhooks' secrets", keyItem);

/** The key that encrypts all secrets: in its own partition, which few functions may read. */
export const sealingKeyOf = (item: Item | undefined): Uint8Array =>
  parseKeyItem(required(item, "the key of the webhooks' secrets")).key;

/** The first webhook of all creates the key. */
export async function readOrMakeSealingKey(table: Table, random: Random): Promise<Uint8Array> {
  const stored = await table.get(kinds.webhookKey.key());
  if (stored) return sealingKeyOf(stored);
  const put = { ...kinds.webhookKey.key(), key: random.bytes(32) };
  await writeIf(table, { put, when: { absent: "pk" } }, { idempotent: true });
  return sealingKeyOf(await table.get(kinds.webhookKey.key()));
}

export const newSecret = (random: Random): string => secretText(random.bytes(webhookLimits.secretBytes));

const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** A nonce, the encrypted secret and its tag, as one text. The text is valid for this webhook only. */
function seal(key: Uint8Array, random: Random, webhookId: string, secret: string): string {
  const nonce = random.bytes(nonceBytes);
  const encryption = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(webhookId));
  const content = Buffer.concat([encryption.update(secret), encryption.final()]);
  return Buffer.concat([nonce, content, encryption.getAuthTag()]).toString("base64url");
}

function unseal(key: Uint8Array, webhookId: string, sealed: string): string {
  const bytes = Buffer.from(sealed, "base64url");
  const decryption = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(webhookId))
    .setAuthTag(bytes.subarray(-tagBytes));
  const content = decryption.update(bytes.subarray(nonceBytes, -tagBytes));
  return Buffer.concat([content, decryption.final()]).toString();
}

/** Names a sealed secret, and says nothing about it. */
const nonceOf = (sealed: string): string => sealed.slice(0, (nonceBytes * 4) / 3);

/** The name of the newest secret. */
export const newestNonce = ({ secrets: [newest] }: WebhookSecretsItem): string =>
  nonceOf(required(newest, "a secret of the webhook").sealed);

/** Undefined if the webhook no longer has the secret. */
export function secretOfNonce(
  key: Uint8Array,
  webhookId: string,
  { secrets }: WebhookSecretsItem,
  nonce: string,
): string | undefined {
  const found = secrets.find(({ sealed }) => nonceOf(sealed) === nonce);
  return found && unseal(key, webhookId, found.sealed);
}

/** The item with a new secret; secrets that it had before sign until `oldUntilMs` at most. */
export function withNewSecret(
  { key, random, nowMs }: { readonly key: Uint8Array; readonly random: Random; readonly nowMs: number },
  webhookId: string,
  secret: string,
  before: WebhookSecretsItem["secrets"] = [],
): WebhookSecretsItem {
  const oldUntilMs = nowMs + webhookLimits.rotationGraceMs;
  const old = before
    .filter(({ until_ms }) => until_ms === null || until_ms > nowMs)
    .slice(0, webhookLimits.oldSecretsMax)
    .map(({ sealed, until_ms }) => ({ sealed, until_ms: Math.min(until_ms ?? oldUntilMs, oldUntilMs) }));
  const sealed = seal(key, random, webhookId, secret);
  return { ...kinds.webhookSecrets.key({ webhookId }), secrets: [{ sealed, until_ms: null }, ...old] };
}

/** The secrets that sign now, newest first. */
export const validSecrets = (
  key: Uint8Array,
  webhookId: string,
  { secrets }: WebhookSecretsItem,
  nowMs: number,
): string[] =>
  secrets
    .filter(({ until_ms }) => until_ms === null || until_ms > nowMs)
    .map(({ sealed }) => unseal(key, webhookId, sealed));
