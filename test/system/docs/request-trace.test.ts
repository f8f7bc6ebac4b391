import { afterEach, beforeAll, expect, test, vi } from "vitest";
import * as z from "zod";
import { read } from "../../docs/pages.ts";
import { useApi } from "../../support/api.ts";
import { everyKindOfKey, World } from "../../support/world.ts";
import { plainTemplate } from "../infra/built-templates.ts";
import { ofType } from "../infra/support.ts";

const api = useApi();
const world = new World(() => api.store().table);
let key: string;
beforeAll(async () => {
  key = (await everyKindOfKey(world, "traced")).keys.organization.text;
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const runbook = read("docs/operate/runbook.md");
const section = /^## From a request id to its trace\n(.*?)^## /ms.exec(runbook)?.[1] ?? "";
const queries = [...section.matchAll(/^ *```\n(.*?)^ *```$/gms)].map(([, query = ""]) => query);

/** The part of Logs Insights that the runbook uses: equality of fields, joined by `or`. */
function matches(query: string, line: Readonly<Record<string, unknown>>, id: string): boolean {
  const conditions = [...(/filter (.*)$/m.exec(query)?.[1]?.matchAll(/(@?\w+) = "\w+"/g) ?? [])];
  return conditions.some(([, field = ""]) => line[field] === id);
}

/** The log line of a request, as the function writes it. */
async function recordedLine(requestId: string): Promise<Record<string, unknown>> {
  const lines: Record<string, unknown>[] = [];
  vi.stubEnv("LOG_LEVEL", "info");
  vi.stubEnv("RELEASE", "0a1b2c3");
  vi.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  await api.call("/v1/organizations", { key, rawHeaders: ["x-request-id", requestId] });
  return lines[0] ?? {};
}

test("the runbook names a saved query and ids that the line of a request has, and Lambda's id finds it", async () => {
  const line = await recordedLine("callers-own");
  const [byInvocation = "", ...more] = queries;
  expect(more).toEqual([]);
  expect(line.release).toBe("0a1b2c3");
  const [, saved] = /open the saved query `([^`]+)`/.exec(section) ?? [];
  const [[, query] = []] = ofType(plainTemplate(), "AWS::Logs::QueryDefinition").filter(
    ([, { Properties }]) => Properties.Name === saved,
  );
  expect(section).toMatch(/replace `REQUEST_ID` in all\s+four\s+places/);
  expect(String(query?.Properties.QueryString).match(/REQUEST_ID/g)).toHaveLength(4);
  for (const id of ["request_id", "gateway_request_id", "lambda_request_id"]) {
    expect(section).toContain(`\`${id}\``);
    expect(line).toHaveProperty(id);
  }
  expect(matches(byInvocation, line, String(line.lambda_request_id))).toBe(true);
  expect(matches(byInvocation, line, "another")).toBe(false);
});

test("the access log has the fields that the runbook uses", () => {
  const [[, stage] = []] = ofType(plainTemplate(), "AWS::ApiGateway::Stage");
  const { Format } = z.object({ Format: z.string() }).parse(stage?.Properties.AccessLogSetting);
  for (const field of ["requestId", "lambdaRequestId", "gatewayError"]) {
    expect(section).toContain(`\`${field}\``);
    expect(JSON.parse(Format)).toHaveProperty(field);
  }
});
