import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseYaml } from "@redocly/openapi-core";
import { afterAll, beforeAll, expect, vi } from "vitest";
import * as z from "zod";
import { defaultDataPath } from "../../../lib/operator/connection.ts";
import { startFakeAws } from "../../checks/fake-aws.ts";
import { callJson, collect, event, ndjson, soloOrganization, useDev } from "../../cli/support.ts";
import { read, root } from "../../docs/pages.ts";
import { type TestService, useService } from "../../support/service.ts";
import { demoData, endTool, firstLine } from "../../support/tool.ts";

const exitSchema = z.tuple([z.number().nullable()], z.unknown());
export const jobsFolder = "docs/use/jobs/";
export const firstCustomerPage = "docs/operate/first-customer.md";

/** A GitHub workflow, limited to the fields that the pages use. */
const workflowSchema = z.strictObject({
  name: z.string(),
  on: z.strictObject({
    schedule: z.array(z.strictObject({ cron: z.string().regex(/^(\S+ ){4}\S+$/) })),
    workflow_dispatch: z.strictObject({}),
  }),
  permissions: z.strictObject({
    contents: z.enum(["read", "write"]),
    "pull-requests": z.literal("write").optional(),
    "security-events": z.literal("write").optional(),
  }),
  jobs: z.record(
    z.string(),
    z.strictObject({
      "runs-on": z.union([z.string(), z.array(z.string())]),
      steps: z.array(
        z.strictObject({
          name: z.string().optional(),
          uses: z
            .string()
            .regex(/^[\w/-]+@v\d+$/)
            .optional(),
          with: z.record(z.string(), z.string()).optional(),
          env: z.record(z.string(), z.string()).optional(),
          run: z.string().optional(),
        }),
      ),
    }),
  ),
});
/** The steps of a page's workflow, in order, without the installation: the reader has the tool. */
export function stepsOf(page: string) {
  const texts = [...read(page).matchAll(/```yaml\n(.*?)```/gs)].map(([, text = ""]) => text);
  const workflow = texts.find((text) => text.startsWith("name: ")) ?? "";
  return Object.values(workflowSchema.parse(parseYaml(workflow)).jobs).flatMap(({ steps }) =>
    steps.filter(({ run = "" }) => !run.startsWith("npm install ")),
  );
}

/** Commands of jobs that run until they are stopped, are refused on purpose or need a leaked key, and what covers them instead. */
export const coveredElsewhere: ReadonlyArray<readonly [RegExp, string]> = [
  [/^npx --no-install review-api listen\b/, "test/system/cli/webhooks.test.ts"],
  [/^npx --no-install review-api export audit-logs --follow\b/, "test/system/cli/export-datasets.test.ts"],
  [/^curl .*# 403 KEY_LIMITED$/, "test/system/docs/keys-job.test.ts"],
  [/^npx --no-install review-api keys revoke\b/, "test/system/docs/keys-job.test.ts"],
];

export const blocksIn = (page: string, language: string): string[] =>
  [...read(page).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, text = ""]) => text,
  );

type Script = {
  /** On the local service, pages say, the name of the stack is left out. */
  readonly isLocal?: boolean;
  /** The first block, and the one after the last; all by default. */
  readonly blocks?: readonly [from: number, to?: number];
};

/** One script of command blocks of a page, in its order. It says which block it is in, and ends at the first failure. */
export function scriptOf(page: string, { isLocal = false, blocks = [0] }: Script = {}): string {
  const texts = blocksIn(page, "sh").map((block) =>
    block
      .split("\n")
      .filter((line) => !coveredElsewhere.some(([pattern]) => pattern.test(line)))
      .map((line) => (isLocal ? line.replaceAll(" --stack ReviewApi", "") : line))
      .join("\n"),
  );
  if (texts.length === 0) throw new Error(`${page} has no commands.`);
  const steps = texts.map((text, index) => `echo "${page}, block ${index}" >&2\n${text}`).slice(...blocks);
  return `set -eo pipefail\n${steps.join("\n")}`;
}

/** A reader of the docs, with a fresh service of the demo, a shell and a stack whose queues are fake. */
export function useReader(options: { readonly fresh?: boolean; readonly empty?: boolean } = {}) {
  /** The reader's environment, before the service in this process adds its own variables. */
  const readersEnvironment = { ...process.env };
  const service = options.fresh ? useFreshService(options.empty) : useService({ demo: true });
  let folder = "";
  let aws: Awaited<ReturnType<typeof startFakeAws>>;
  let tool: ChildProcess;
  let toolUrl = "";
  let deadLetters = 0;

  /** The stack of the docs: its table and API belong to the local service, its queues are fake. */
  const surroundings = async () => {
    const { endpoint } = z
      .object({ endpoint: z.string() })
      .parse(JSON.parse(await readFile(join(service().folder, "service.json"), "utf8")));
    return {
      AWS_REGION: "eu-north-1",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
      AWS_ENDPOINT_URL_CLOUDFORMATION: aws.url,
      AWS_ENDPOINT_URL_SQS: aws.url,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      REVIEW_API_KEY: service().keys.workspace ?? "",
    };
  };

  beforeAll(async () => {
    folder = service().home;
    const program = fileURLToPath(new URL("./tool-server.ts", import.meta.url));
    tool = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
    toolUrl = await firstLine(tool);
    aws = await startFakeAws((url) => ({
      ApiUrl: service().url,
      TableName: "review-api",
      EventsQueueUrl: `${url}/events.fifo`,
      DeadLetterQueueUrl: `${url}/dead.fifo`,
      EventsBucketName: "events",
      AuditRetentionDays: "400",
      BedrockRegion: "eu-north-1",
    }));
    // The stack's worker accepts every event.
    aws.workWith(() => undefined, `${aws.url}/events.fifo`, `${aws.url}/dead.fifo`);
    if (!options.fresh) await copyFiles();
    // The embedder in use is unknown until the schedule has started the index's worker for the first time.
    await vi.waitUntil(
      async () => (await runLine("npx --no-install review-api index reconcile --stack ReviewApi")).code === 0,
      {
        timeout: 120_000,
      },
    );
  });
  afterAll(async () => {
    await aws?.close();
    if (tool) await endTool(tool);
  });

  /** The files that commands of the guide and the runbook name. */
  async function copyFiles(): Promise<void> {
    const events = ndjson([event(1, "organization.saved", soloOrganization("42", "from the docs"))]);
    await cp(join(root, "docs", "use", "examples"), join(folder, "docs", "use", "examples"), {
      recursive: true,
    });
    for (const file of ["events.ndjson", "since.ndjson"]) await writeFile(join(folder, file), events);
  }

  const local = (...words: readonly string[]) => callJson(...words, "--data", service().folder);
  const idOf = (answer: unknown): string => z.object({ id: z.string() }).parse(answer).id;

  /** The values that the reader has under these names. */
  const variables: Readonly<Record<string, () => Promise<string>>> = {
    REVIEW_API_KEY: async () => service().keys.workspace ?? "",
    ORGANIZATION_KEY: async () => service().keys.organization ?? "",
    LEAKED_KEY: async () => service().keys.organization ?? "",
    ASSISTANT_KEY: async () => service().keys.organization ?? "",
    CODE_SCANNING_KEY: async () => service().keys.organization ?? "",
    REPOSITORY_ID: async () => "9001",
    WAREHOUSE: async () => join(folder, "warehouse"),
    REVIEW_API_URL: async () => service().url,
    GITHUB_STEP_SUMMARY: async () => join(folder, "summary.md"),
    EVENT_ID: async () => {
      const letter = event(1_000 + deadLetters++, "planet.saved", {});
      const entry = {
        Id: "0",
        MessageBody: JSON.stringify(letter),
        MessageGroupId: letter.id,
        MessageDeduplicationId: letter.id,
      };
      const body = JSON.stringify({ QueueUrl: `${aws.url}/dead.fifo`, Entries: [entry] });
      const headers = { "x-amz-target": "AmazonSQS.SendMessageBatch" };
      await fetch(aws.url, { method: "POST", headers, body });
      return letter.id;
    },
    KEY_ID: async () =>
      idOf(await local("keys", "create", "--kind", "user", "--org", "1001", "--owner", "502")),
    TOKEN_ID: async () => {
      const words = ["--workspace", "acme", "--as", "501", "--name", "t", "--expires-in-days", "1"];
      return idOf(await local("tokens", "create", ...words));
    },
    LEARNING_ID: async () => {
      const pending = z.object({ learnings: z.array(z.object({ id: z.string() })) });
      return pending.parse(await local("learnings", "pending")).learnings[0]?.id ?? "";
    },
  };

  /** The test's service has another address than the reader's, and a simulation runs only two seeds. */
  const asHere = (line: string): string =>
    line
      .replaceAll(/http:\/\/127\.0\.0\.1:3000|https:\/\/api\.example\.com/g, service().url)
      .replaceAll(/curl (?!--fail)/g, "curl --fail --silent --show-error ")
      .replace(
        /^npm run simulate -- --seeds \d+$/,
        `"$TEST_NODE" "${root}test/proofs/simulation/run.ts" --seeds 2`,
      );

  /** For `npx --no-install review-api`: the tool starts once for all commands, and handles each like a separate start. */
  const npx = `npx() {
    shift 2
    local answer
    answer=$({ printf '%s\\0' "$PWD" "$#" "$@"; env -0; } | curl --silent --show-error --fail --data-binary @- "$TEST_TOOL") || return 99
    eval "$answer"
  }`;

  /** Runs the line in a shell, like a reader. The shell leads a process group; killed, it has no code. */
  async function runLine(
    line: string,
    given?: Record<string, string>,
    onStart?: (shell: ChildProcess) => void,
  ): Promise<{ code: number | null; output: string }> {
    const values: Record<string, string> = { ...given };
    const names = given ? [] : [...line.matchAll(/\$(\w+)/g)].map(([, name = ""]) => name);
    for (const name of names) values[name] = (await variables[name]?.()) ?? "";
    const env = {
      ...readersEnvironment,
      ...(await surroundings()),
      ...values,
      TEST_NODE: process.execPath,
      TEST_TOOL: toolUrl,
    };
    const words = ["-c", `${npx}\n${asHere(line)}`];
    const shell = spawn("bash", words, {
      cwd: folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    onStart?.(shell);
    const output = collect(shell);
    const [code] = exitSchema.parse(await once(shell, "close"));
    const { stdout, stderr } = output();
    return { code, output: stdout + stderr };
  }

  return { service, runLine, home: () => folder };
}

/** A service in a process of its own: a file can use several of these, one after the other. */
function useFreshService(isEmpty = false): () => TestService {
  const dev = useDev();
  let running: TestService | undefined;
  let stop: () => Promise<unknown> = async () => undefined;
  beforeAll(async () => {
    const home = await dev.folder();
    const folder = join(home, defaultDataPath);
    if (!isEmpty) await cp(await demoData(), folder, { recursive: true });
    const started = await dev.start(...(isEmpty ? ["--fresh", "--no-demo"] : []), "--data", folder);
    stop = started.stop;
    running = { url: started.url, home, folder, keys: started.keys };
  });
  afterAll(() => stop());
  return () => running ?? expect.fail("The service has not started.");
}
