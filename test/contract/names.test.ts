import { expect, test } from "vitest";
import { createKey } from "../../lib/contract/operations/keys.ts";
import { createRole, updateRole } from "../../lib/contract/operations/roles.ts";
import { createWebhook, updateWebhook } from "../../lib/contract/operations/webhooks.ts";

const problems = (
  {
    body,
  }: { readonly body: { safeParse(value: object): { error?: { issues: readonly object[] } | undefined } } },
  value: object,
) => body.safeParse(value).error?.issues ?? [];

const url = (text: string) => `https://hooks.example.com/${text}`;

test.each([
  ["ESC", "\u001b[2J"],
  ["CR", "\r"],
  ["LF", "\n"],
  ["the override of the direction", "\u202e"],
  ["an isolate", "\u2066"],
  ["a zero-width space", "\u200b"],
])("no name of a key or a role and no URL of a webhook takes %s", (_, character) => {
  const text = `a${character}b`;
  const message = "must not contain control characters or invisible formatting characters";
  const refused = (path: string) => [expect.objectContaining({ path: [path], message })];
  for (const operation of [createKey, createRole, updateRole])
    expect(problems(operation, { name: text })).toEqual(refused("name"));
  expect(problems(createWebhook, { url: url(text), types: ["learnings"] })).toEqual(refused("url"));
  expect(problems(updateWebhook, { url: url(text) })).toEqual(refused("url"));
});

test("names and URLs with letters of any script, spaces inside and around, and signs are taken", () => {
  for (const operation of [createKey, createRole, updateRole])
    expect(problems(operation, { name: " Straße №4 – データ (CI) " })).toEqual([]);
  expect(problems(createWebhook, { url: url("straße?team=データ&x=%0A"), types: ["learnings"] })).toEqual([]);
});
