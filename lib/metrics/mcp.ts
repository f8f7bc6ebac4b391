import type { Provider } from "../contract/access.ts";
import type { McpRecord } from "../contract/records-metrics.ts";
import type { ByteWriter } from "../runtime/byte-writer.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { jsonText, type Written, writeText } from "../runtime/json-text.ts";
import { required } from "../runtime/required.ts";
import type { EntryDraft, StreamEntry } from "../stream/stream.ts";
import { damagedPayload, entryDraftOf, payloadTextOf, prUrlAtStart } from "./payload.ts";
import type { PlacedEntry } from "./walk.ts";

/** The payload is a JSON list: the URL, then for each server its name and a list of name, calls, failures. */
export type McpServerCalls = {
  readonly name: string;
  readonly tools: ReadonlyArray<{ readonly name: string; readonly calls: number; readonly failures: number }>;
};

/** The fields of the record about the organization; the entry does not hold them. */
type Owner = { readonly organizationId: string; readonly provider: Provider };

type McpPullRequest = Owner & {
  readonly prUrl: string;
  readonly repositoryId: string;
  readonly authorId: string | null;
  readonly mergedAtMs: number;
  readonly servers: readonly McpServerCalls[];
};

export const callsOf = ({ tools }: McpServerCalls): number =>
  tools.reduce((sum, { calls }) => sum + calls, 0);

export function draftMcp(pullRequest: McpPullRequest): EntryDraft {
  const { prUrl, repositoryId, authorId, mergedAtMs: atMs, servers } = pullRequest;
  const text = JSON.stringify([
    prUrl,
    ...servers.map(({ name, tools }) => [
      name,
      ...tools.map((tool) => [tool.name, tool.calls, tool.failures]),
    ]),
  ]);
  const placed = { atMs, repositoryId, authorId };
  const record = required(decode(text, placed, pullRequest), "record of an entry just made");
  return entryDraftOf(placed, text, Buffer.byteLength(JSON.stringify(record)));
}

export function toMcpRecord(entry: StreamEntry, owner: Owner): McpRecord {
  const record = decode(payloadTextOf(entry), entry, owner);
  if (!record) throw damagedPayload(entry.number);
  return record;
}

/** Writes the record as JSON. */
export function writeMcp(out: ByteWriter, { entry, organization }: PlacedEntry): Written<McpRecord> {
  const { provider_organization_id: organizationId, provider } = organization;
  return writeText(out, jsonText(toMcpRecord(entry, { organizationId, provider })));
}

/** The payload of the entry may be incomplete. */
export const prUrlOfMcp = (entry: StreamEntry): string => prUrlAtStart(entry, /^\["((?:[^"\\]|\\.)*)"/);

function decode(
  text: string,
  { atMs, repositoryId, authorId }: Pick<StreamEntry, "atMs" | "repositoryId" | "authorId">,
  { organizationId, provider }: Owner,
): McpRecord | undefined {
  const fields: unknown = JSON.parse(text);
  if (!Array.isArray(fields)) return undefined;
  const [prUrl, ...listed]: unknown[] = fields;
  const servers = listed.map(decodeServer);
  if (typeof prUrl !== "string" || !servers.every((server) => server !== undefined)) return undefined;
  return {
    pr_url: prUrl,
    organization_id: organizationId,
    repository_id: repositoryId,
    author_id: authorId,
    merged_at: toTimestamp(atMs),
    servers: servers.map(({ name, tools }) => ({ name, calls: callsOf({ name, tools }), tools: [...tools] })),
    provider,
  };
}

function decodeServer(value: unknown): McpServerCalls | undefined {
  if (!Array.isArray(value)) return undefined;
  const [name, ...listed]: unknown[] = value;
  const tools = listed.map(decodeTool);
  return typeof name === "string" && tools.every((tool) => tool !== undefined) ? { name, tools } : undefined;
}

function decodeTool(value: unknown): McpServerCalls["tools"][number] | undefined {
  if (!Array.isArray(value)) return undefined;
  const [name, calls, failures]: unknown[] = value;
  const isTool = typeof name === "string" && typeof calls === "number" && typeof failures === "number";
  return isTool ? { name, calls, failures } : undefined;
}
