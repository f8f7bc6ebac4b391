import { idOfText, type KeyText, parseKeyText } from "../access/key-text.ts";
import { sentValueOf } from "../access/key-value.ts";
import { readMadeList } from "../access/made-keys.ts";
import { endKey } from "../access/revoke-key.ts";
import type { AuditedContext } from "../audit/entry.ts";
import { toAuditRecord } from "../audit/export.ts";
import { type AuditPosition, readAuditLog } from "../audit/list.ts";
import * as kinds from "../contract/items.ts";
import { pageLimits } from "../contract/limits.ts";
import { organizationTenant, type TenantKey } from "../contract/tenants.ts";
import { OperatorError } from "../runtime/operator-error.ts";
import type { AuditItem } from "../store/items/audit.ts";
import { parseKey } from "../store/items/key.ts";
import { readWebhooks } from "../webhooks/scope.ts";

/**
 * Ends a key of any kind whose text leaked. Tells what was done with it and with the keys that it made, also with
 * those that ended before. Anybody can make up a text that names a key: it ends the key only if it is one of the two
 * values that the key has.
 */
export async function endLeakedKey(context: AuditedContext, text: string) {
  const parsed = parseKeyText(text);
  if (!parsed) throw new OperatorError("This is not the text of a key. Nothing was changed.");
  const item = await context.table.get(kinds.apiKey.key({ keyId: parsed.id }));
  const key = item && parseKey(item);
  if (!key || !sentValueOf(key, parsed.hash, context.clock.nowMs()))
    throw new OperatorError(
      `No key has this value, now or before its last rotation. Nothing was changed. ${whereToLook(text, parsed, key !== undefined)}`,
    );
  const ended = await endKey(context, key, context);
  const ownerOf = (organization: string | null) =>
    organization === null ? key.tenant : organizationTenant(organization);
  // Workspace tokens and instance keys act in several organizations, whose entries are in the log of their tenant.
  const owner = key.kind === "instance" ? key.tenant : ownerOf(key.organization);
  const list = await readMadeList(context.table, key.id);
  const made = list?.made.map(({ id }) => id) ?? [];
  const entries = await entriesOf(context, owner, key.id, new Set([key.id, ...made]));
  const changed = entries.filter(({ resource_type }) => resource_type === "webhook");
  const owners = [...new Set(changed.map(({ organization }) => ownerOf(organization)))];
  const scopes = owners.map((each) => ({
    owner: each,
    tenant: key.tenant,
    organization: null,
    authorized: null,
  }));
  const webhooks = await Promise.all(scopes.map((scope) => readWebhooks(context.table, scope)));
  const isChanged = (id: string) => changed.some(({ resource_id }) => resource_id === id);
  const rings = webhooks.flat().filter((each) => each.disabled_reason === null && isChanged(each.id));
  return {
    id: key.id,
    revoked_key_ids: ended,
    entries: entries.map(toAuditRecord),
    webhooks: rings.map(({ id, url, types }) => ({ id, url, types })),
  };
}

/** Only texts of this release name an id: the id of any other text follows from the first value of its key. */
function whereToLook(text: string, { id, hints }: KeyText, isStored: boolean): string {
  const isToken = hints.kind === "workspace";
  const isNamed = id !== idOfText(text);
  if (!isNamed && !isStored)
    return `The text names no id: if you know whose key it is, find the id with ${isToken ? "tokens" : "keys"} list.`;
  const known = isNamed ? "The text names key" : "The text is the first value of key";
  const command = isToken ? `tokens delete ${id} --workspace WORKSPACE --as ADMIN` : `keys revoke ${id}`;
  return `${known} ${id}. If somebody may have a value of that key, revoke it by its id: ${command}.`;
}

/** The entries of what these keys did, and of what was done with them. `ids`: of the key and of what it made. */
async function entriesOf(
  context: AuditedContext,
  owner: TenantKey,
  keyId: string,
  ids: ReadonlySet<string>,
): Promise<AuditItem[]> {
  const entries: AuditItem[] = [];
  let after: AuditPosition | null = null;
  do {
    const { entries: found, next } = await readAuditLog(context, {
      owner,
      order: "asc",
      fromMs: undefined,
      toMs: undefined,
      after,
      limit: pageLimits.auditLogs.max,
      retentionDays: context.retentionDays,
      wanted: ({ actor, resource_id }) => ids.has(actor.key_id ?? "") || ids.has(resource_id ?? ""),
    });
    entries.push(...found);
    after = next;
  } while (after !== null);
  // A full list has dropped keys that had ended: the entries of their making name them.
  const made = entries.filter(({ metadata }) => metadata.made_by === keyId);
  const all = new Set([...ids, ...made.map(({ resource_id }) => resource_id ?? keyId)]);
  return all.size === ids.size ? entries : await entriesOf(context, owner, keyId, all);
}
