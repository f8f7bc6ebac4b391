import { toKeyRecords } from "../../lib/access/list-keys.ts";
import {
  createWorkspaceToken,
  deleteWorkspaceToken,
  listWorkspaceTokens,
} from "../../lib/access/workspace-tokens.ts";
import { keyLimits } from "../../lib/contract/limits.ts";
import type { Command, OptionDefinitions } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import { listOptions } from "../listing.ts";
import { alsoEnded, keyRowOf, onlyOf, onlyOption, showIssuedRow, showKeyRows } from "../show-keys.ts";
import { commandFor } from "../show-once.ts";
import { issuedRow } from "./keys.ts";

/** Only admins of the workspace create, see or delete its tokens, as in the dashboard. */
const workspaceOptions: OptionDefinitions = {
  workspace: { value: "ID", help: "the workspace", required: true },
  as: { value: "USER", help: "a current admin of the workspace, by provider user id", required: true },
};

const create: Command = {
  name: "create",
  summary: "Make a workspace token and show it once",
  options: {
    ...workspaceOptions,
    name: { value: "TEXT", help: `1 to ${keyLimits.nameCharactersMax} characters`, required: true },
    "expires-in-days": {
      value: "N",
      help: `${keyLimits.tokenExpiryDaysMin} to ${keyLimits.tokenExpiryDaysMax}`,
      required: true,
    },
    ...onlyOption,
  },
  examples: ["tokens create --workspace acme --as 501 --name reports --expires-in-days 90"],
  run: (input, terminal) => {
    const { tokenExpiryDaysMin: min, tokenExpiryDaysMax: max } = keyLimits;
    const request = {
      workspaceId: input.requiredText("workspace"),
      as: input.requiredText("as"),
      name: input.requiredText("name"),
      expiresInDays: input.integer("expires-in-days", { min, max }) ?? min,
      only: onlyOf(input),
    };
    return withConnection(input, ({ audited }) =>
      showIssuedRow(
        input,
        terminal,
        async () => issuedRow(await createWorkspaceToken(audited, request)),
        (id) => `To revoke it: ${commandFor(input, `tokens delete ${id}`, ["workspace", "as"])}`,
      ),
    );
  },
};

const list: Command = {
  name: "list",
  summary: "List the tokens of a workspace, without their secrets",
  options: { ...workspaceOptions, ...listOptions },
  examples: ["tokens list --workspace acme --as 501"],
  run: (input, terminal) =>
    withConnection(input, async ({ audited }) => {
      const workspace = input.requiredText("workspace");
      const tokens = await listWorkspaceTokens(audited, workspace, input.requiredText("as"));
      const records = await toKeyRecords(audited, tokens);
      const rows = records.map((record) => keyRowOf({ ...record, tenant_id: workspace }));
      showKeyRows(input, terminal, rows);
    }),
};

const remove: Command = {
  name: "delete",
  summary: "Revoke a workspace token now",
  argument: { name: "TOKEN_ID", required: true, help: "the id that `tokens list` shows" },
  options: workspaceOptions,
  examples: ["tokens delete TOKEN_ID --workspace acme --as 501"],
  run: (input, terminal) =>
    withConnection(input, async ({ audited }) => {
      const id = input.requiredArgument("TOKEN_ID");
      const request = { workspaceId: input.requiredText("workspace"), as: input.requiredText("as"), id };
      const ended = await deleteWorkspaceToken(audited, request);
      if (input.flag("json")) terminal.out(JSON.stringify({ id, deleted: true, revoked_key_ids: ended }));
      else terminal.say(`Token ${id} is deleted${alsoEnded(id, ended)}.`);
    }),
};

export const commands: readonly Command[] = [create, list, remove];
