/**
 * What a careful colleague would write on AWS's SDK: the calls of our handler, then the records of the page, decoded as
 * objects and rendered with JSON.stringify. It authenticates nobody, checks nothing and has no limits.
 */
import { randomBytes } from "node:crypto";
import type { Writable } from "node:stream";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  QueryCommand,
  type QueryCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { categories, severities } from "../../../../lib/contract/records-metrics.ts";
import { colleaguePlan, colleaguePlanVariable } from "./colleague-plan.ts";

const plan = colleaguePlan.parse(JSON.parse(process.env[colleaguePlanVariable] ?? "null"));
const endpoint = process.env.DYNAMODB_ENDPOINT ?? "";
const credentials = { accessKeyId: "local", secretAccessKey: "local" };
const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region: "local", credentials }));
const TableName = process.env.TABLE_NAME ?? "";

const entrySchema = z.object({
  r: z.string(),
  a: z.string().optional(),
  t: z.number(),
  p: z.union([z.string(), z.instanceof(Uint8Array)]),
});

async function readEntries(): Promise<unknown[]> {
  const entries: unknown[] = [];
  let ExclusiveStartKey: QueryCommandInput["ExclusiveStartKey"];
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :upTo",
        ExpressionAttributeValues: {
          ":pk": plan.pk,
          ":from": nextAfter(ExclusiveStartKey),
          ":upTo": plan.upTo,
        },
        ConsistentRead: true,
        Limit: plan.limit + 1 - entries.length,
      }),
    );
    entries.push(...Items);
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey && entries.length <= plan.limit);
  return entries.slice(0, plan.limit);
}

const nextAfter = (key: QueryCommandInput["ExclusiveStartKey"]): string =>
  String(Number(key?.sk ?? 0) + 1).padStart(10, "0");

const outcomes = [null, false, true];

function toRecord(item: unknown): object {
  const { r, a = null, t, p } = entrySchema.parse(item);
  const [prUrl = "", ...lines] = (typeof p === "string" ? p : Buffer.from(p).toString()).split("\n");
  let url = prUrl;
  const comments = lines.map((line) => {
    const first = Number.parseInt(line.charAt(0), 36);
    const mark = line.charAt(2);
    url = (mark === "~" ? "" : url.slice(0, url.length - Number.parseInt(mark, 36))) + line.slice(3);
    return {
      url: unescaped(url),
      severity: severities[Math.floor(first / outcomes.length) - 1] ?? null,
      category: categories[Number.parseInt(line.charAt(1), 36) - 1] ?? null,
      accepted: outcomes[first % outcomes.length],
    };
  });
  return {
    pr_url: unescaped(prUrl),
    organization_id: plan.organizationId,
    repository_id: r,
    author_id: a,
    merged_at: new Date(t).toISOString(),
    coderabbit_comments: comments,
  };
}

/** Stored texts are escaped as in JSON. */
const unescaped = (text: string): string => (text.includes("\\") ? String(JSON.parse(`"${text}"`)) : text);

let taken = 0;

/** A rate limit like ours. */
async function take(): Promise<void> {
  const nowMs = Date.now();
  await client.send(
    new UpdateCommand({
      TableName,
      Key: { pk: "colleague", sk: "limit" },
      UpdateExpression: "SET #slot = :stamp, #ttl = :ttl",
      ConditionExpression: "attribute_not_exists(#slot) OR #slot < :cutoff",
      ExpressionAttributeNames: { "#slot": `s${taken++ % 60}`, "#ttl": "ttl" },
      ExpressionAttributeValues: {
        ":stamp": `${nowMs.toString(36)}#${randomBytes(6).toString("base64url")}`,
        ":cutoff": `${(nowMs - 60_000).toString(36)}$`,
        ":ttl": Math.ceil(nowMs / 1000) + 120,
      },
      ReturnValues: "ALL_NEW",
    }),
  );
}

export const handler = awslambda.streamifyResponse(async (_: unknown, stream: Writable) => {
  await client.send(
    new BatchGetCommand({ RequestItems: { [TableName]: { Keys: plan.keys, ConsistentRead: true } } }),
  );
  const [entries] = await Promise.all([readEntries(), take()]);
  const body = JSON.stringify({ data: entries.map(toRecord), next_cursor: null });
  const head = { statusCode: 200, headers: { "content-type": "application/json" } };
  awslambda.HttpResponseStream.from(stream, head).end(body);
});
