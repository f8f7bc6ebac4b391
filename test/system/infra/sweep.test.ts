import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectDirectory } from "../../../infra/bundle.ts";
import { startFakeAws } from "../../checks/fake-aws.ts";

const pages = [
  ["ReviewApi", "ReviewApi-pr-6", "ReviewApi-pr-7", "ReviewApi-pr-8"],
  ["ReviewApi-pr-9", "ReviewApi-ann", "Other-pr-7"],
];
const states: Readonly<Record<string, string>> = { 7: "closed", 8: "open", 9: "closed" };
let isBroken = false;
let aws: Awaited<ReturnType<typeof startFakeAws>>;
let github: Server;

beforeAll(async () => {
  aws = await startFakeAws(() => ({}), {
    cloudformation({ body }, response) {
      const page = Number(new URLSearchParams(body.toString()).get("NextToken") ?? 0);
      const members = pages[page]?.map((name) => `<member><StackName>${name}</StackName></member>`).join("");
      const next = page === 0 ? "<NextToken>1</NextToken>" : "";
      response.setHeader("content-type", "text/xml");
      response.end(
        `<DescribeStacksResponse><DescribeStacksResult><Stacks>${members}</Stacks>${next}</DescribeStacksResult></DescribeStacksResponse>`,
      );
    },
  });
  github = createServer(({ url = "", headers }, response) => {
    const number = /^\/repos\/we\/reviews\/pulls\/(\d+)$/.exec(url)?.[1] ?? "";
    const isAllowed = headers.authorization === "Bearer token" && !isBroken;
    response
      .writeHead(isAllowed ? (states[number] ? 200 : 404) : 403)
      .end(JSON.stringify({ state: states[number] }));
  });
  github.listen(0, "127.0.0.1");
  await once(github, "listening");
});
afterAll(async () => {
  await aws.close();
  github.close();
});

function sweep(...numbers: readonly string[]) {
  const address = github.address();
  const env = {
    PATH: process.env.PATH,
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL: aws.url,
    GITHUB_API_URL: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    GITHUB_REPOSITORY: "we/reviews",
    GITHUB_TOKEN: "token",
  };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [join(projectDirectory, "infra", "sweep.ts"), ...numbers],
      { env },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

test("the stacks of closed pull requests are found, on every page, and no other stack", async () => {
  expect(await sweep()).toMatchObject({ code: 0, stdout: "[7,9]\n" });
});

test("a pull request that GitHub does not have keeps its stack, is named, and stops no other removal", async () => {
  const { stdout, stderr } = await sweep();
  expect([stdout, stderr]).toEqual([
    "[7,9]\n",
    expect.stringContaining("no pull request 6: its stack stays"),
  ]);
});

test("one pull request can be asked about again, right before its stack is removed", async () => {
  expect(await sweep("9")).toMatchObject({ code: 0, stdout: "[9]\n" });
  expect(await sweep("8")).toMatchObject({ code: 0, stdout: "[]\n" });
});

test("if GitHub does not say whether a pull request is open, no stack is named", async () => {
  isBroken = true;
  const { code, stdout, stderr } = await sweep();
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("GitHub answered 403 for pull request 6.");
});
