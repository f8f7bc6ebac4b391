import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { keyKinds } from "../../lib/contract/access.ts";
import { demoData, endTool, firstLine, spawnTool } from "../support/tool.ts";

const service = z.object({ url: z.url(), keys: z.record(z.enum(keyKinds), z.string()) });
/** `folder` is its data, for the operator's commands. */
export type Service = z.output<typeof service> & { readonly folder: string };

/** A separate service with the whole demo: once it is ready, no test has to wait for data. */
export async function startDemoService(): Promise<Service & { stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "review-api-pages-"));
  await cp(await demoData(), folder, { recursive: true });
  const tool = spawnTool(["dev", "--json", "--port", "0", "--data", folder], { stderr: "ignore" });
  return {
    ...service.parse(JSON.parse(await firstLine(tool))),
    folder,
    async stop() {
      await endTool(tool);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
