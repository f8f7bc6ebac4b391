import { expect, test } from "vitest";
import * as z from "zod";
import { dataDirectory } from "../../../lib/local/data-directory.ts";
import { demoKeys } from "../../../lib/local/demo/keys.ts";
import { readKeptKeys } from "../../../lib/local/kept-keys.ts";
import { connectLocally } from "../../../lib/operator/local.ts";
import { callTool } from "../../cli/support.ts";
import { useService } from "../../support/service.ts";

const service = useService({ demo: true });
const http = (key: string) => ["--url", service().url, "--key", key];

test("a new start of the demo keeps its keys, and replaces those whose value was rotated", async () => {
  const { keys, folder } = service();
  const directory = dataDirectory(folder);
  const before = await readKeptKeys(directory);
  for (const [kind, graceSeconds] of [
    ["organization", "0"],
    ["user", "600"],
  ] as const) {
    const words = ["keys", "rotate", before[kind]?.id ?? "", "--grace-seconds", graceSeconds];
    expect((await callTool(...words, "--data", folder)).code).toBe(0);
  }
  const { audited, close } = await connectLocally(folder, { create: false });
  const { organization, user, ...others } = await demoKeys(audited, directory).finally(close);
  expect(others).toEqual({ ...others, ...keys, organization: undefined, user: undefined });
  const me = z.object({ key: z.object({ value_until: z.null() }) });
  for (const key of [organization, user])
    me.parse(JSON.parse((await callTool("whoami", ...http(key ?? ""), "--json")).stdout));
  expect(await readKeptKeys(directory)).toMatchObject({
    organization: { key: organization },
    user: { key: user },
  });
});
