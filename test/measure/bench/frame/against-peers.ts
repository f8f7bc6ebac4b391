import { equal } from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { listOrganizations as operation } from "../../../../lib/contract/operations/organizations.ts";
import { scanAll } from "../../../support/scan-all.ts";
import { peers } from "../peers.ts";
import { toAttributes } from "../support/attributes.ts";
import { organizationsPlan } from "./against-bare.ts";
import { barePlanVariable } from "./bare/plan.ts";
import {
  type Contestant,
  type CpuRounds,
  cpuRounds,
  type Rounds,
  startContestant,
  storeAlone,
} from "./contest.ts";
import { eventText } from "./invoke.ts";
import type { BufferedAnswer } from "./messages.ts";
import { placeOf } from "./stubbed-http.ts";
import { openWorld, tableName } from "./world.ts";

const errorShape = z.object({ error: z.object({ code: z.string() }) });

/** `GET /v1/organizations` in ours and in the peers, on a stubbed store. */
export async function againstPeers(bundles: string, rounds: Rounds): Promise<CpuRounds> {
  const itemsFile = join(bundles, "items.json");
  const key = await writeItems(itemsFile);
  const environment = {
    TABLE_NAME: tableName,
    // No connection is made: the stub answers.
    DYNAMODB_ENDPOINT: "http://127.0.0.1:9",
    [barePlanVariable]: JSON.stringify(organizationsPlan(key.id, operation)),
  };
  const event = eventText("/v1/organizations?limit=10", ["x-service-api-key", key.text]);
  const argument = { event, streaming: false, requestsPerWindow: operation.rateLimit.requestsMax, itemsFile };
  const start = (name: string, bundle: string) =>
    startContestant(name, { ...argument, bundle: join(bundles, bundle, "index.mjs") }, environment);
  const [ours, alone, ...others] = await Promise.all([
    start("ours", operation.source),
    start(storeAlone, "bare/store-client"),
    ...peers.map(({ source, name }) => start(name, `peers/${source}`)),
  ]);
  try {
    await checkAnswers(ours, others, key.text);
    return await cpuRounds([ours, alone, ...others], rounds);
  } finally {
    await Promise.all([ours, alone, ...others].map((contestant) => contestant.stop()));
  }
}

/** The whole table of a small world, copied from an engine that then ends. */
async function writeItems(file: string): Promise<{ readonly id: string; readonly text: string }> {
  const { table, key, stop } = await openWorld({ pullRequests: 0 });
  try {
    const items = (await scanAll(table)).map((item) => [placeOf(item.pk, item.sk), toAttributes(item)]);
    await writeFile(file, JSON.stringify(items));
    return key;
  } finally {
    await stop();
  }
}

/** The same answer byte for byte, with all of our headers; for an error, the same status and code. */
async function checkAnswers(ours: Contestant, others: readonly Contestant[], key: string): Promise<void> {
  const valid = ["x-service-api-key", key];
  const requests = [
    eventText("/v1/organizations?limit=10", valid),
    eventText("/v1/organizations?limit=2", valid),
    eventText("/v1/organizations", []),
    eventText("/v1/organizations", ["x-service-api-key", `${key}a`]),
    eventText("/v1/organizations?limit=0", valid),
    eventText("/v1/organizations?limit=1e1", valid),
    eventText("/v1/organizations?page=2", valid),
    eventText("/v1/organizations?org_id=7", valid),
  ];
  for (const request of requests) {
    const expected = await ours.answerTo(request);
    for (const peer of others) compare(peer.name, expected, await peer.answerTo(request));
  }
}

function compare(peer: string, expected: BufferedAnswer, found: BufferedAnswer): void {
  equal(found.statusCode, expected.statusCode, `${peer}: ${found.body}`);
  if (expected.statusCode === 200) equal(sealed(found.body), sealed(expected.body), peer);
  else equal(codeOf(found), codeOf(expected), peer);
  const headers = new Map(headersOf(found));
  for (const [name, value] of headersOf(expected)) equal(headers.get(name), value, `${peer}: ${name}`);
}

/** A cursor contains the second in which it was made. */
const sealed = (body: string): string => body.replace(/"next_cursor":"[^"]+"/, '"next_cursor":"…"');

/** Some frameworks answer with several values per header, and most add the character set. */
function headersOf({ headers = {}, multiValueHeaders = {} }: BufferedAnswer): Array<[string, string]> {
  const all = [...Object.entries(headers), ...Object.entries(multiValueHeaders)];
  return all.map(([name, value]) => [name.toLowerCase(), String(value).replace(/; *charset=utf-8$/i, "")]);
}

const codeOf = ({ body }: BufferedAnswer): string => errorShape.parse(JSON.parse(body)).error.code;
