import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import * as z from "zod";
import { systemClock } from "../../lib/runtime/clock.ts";

type Held = {
  readonly entry: z.output<typeof sentEntry>;
  readonly sentMs: number;
  handle: string;
  hidden: boolean;
};

const sentEntry = z.object({
  Id: z.string(),
  MessageBody: z.string(),
  MessageGroupId: z.string(),
  MessageDeduplicationId: z.string(),
  MessageAttributes: z
    .record(z.string(), z.object({ DataType: z.string(), StringValue: z.string() }))
    .optional(),
});
const sqsInput = z.object({
  QueueUrl: z.string(),
  Entries: z.array(z.unknown()).optional(),
  ReceiptHandle: z.string().optional(),
  MaxNumberOfMessages: z.number().optional(),
});

export type AwsRequest = {
  /** The service that the signature is for. */
  readonly region: string;
  readonly target: string;
  readonly body: Buffer;
};
type Services = Readonly<
  Record<string, (request: AwsRequest, response: ServerResponse) => Promise<void> | void>
>;

/**
 * The parts of CloudFormation and SQS that the operator's tool uses, FIFO rules included. `services` adds others, or
 * replaces these, by the name in the request's signature.
 */
export async function startFakeAws(
  outputs: (url: string) => Readonly<Record<string, string>>,
  services: Services = {},
) {
  const queues = new Map<string, Held[]>();
  let onCount = () => {};
  const queue = (url: string): Held[] => {
    const existing = queues.get(url) ?? [];
    queues.set(url, existing);
    return existing;
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const [, region = "", service = ""] =
      /Credential=[^/]+\/\d+\/([^/]+)\/([^/]+)\//.exec(request.headers.authorization ?? "") ?? [];
    const own = services[service];
    if (own) return void own({ region, target: request.url ?? "", body: Buffer.concat(chunks) }, response);
    if (service === "sts") return void response.setHeader("content-type", "text/xml").end(callerIdentity);
    const body = Buffer.concat(chunks).toString();
    const target = String(request.headers["x-amz-target"] ?? "");
    if (target === "") return void describeStacks(body, response);
    const result = sqs(target.split(".")[1] ?? "", sqsInput.parse(JSON.parse(body)));
    response.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(result));
  }

  function describeStacks(body: string, response: ServerResponse): void {
    const name = new URLSearchParams(body).get("StackName") ?? "";
    response.setHeader("content-type", "text/xml");
    if (name !== "ReviewApi") {
      const fault = `<Code>ValidationError</Code><Message>Stack with id ${name} does not exist</Message>`;
      response
        .writeHead(400)
        .end(`<ErrorResponse><Error><Type>Sender</Type>${fault}</Error></ErrorResponse>`);
      return;
    }
    const members = Object.entries(outputs(url)).map(
      ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
    );
    const stack = `<StackName>${name}</StackName><Outputs>${members.join("")}</Outputs>`;
    const result = `<DescribeStacksResult><Stacks><member>${stack}</member></Stacks></DescribeStacksResult>`;
    response.writeHead(200).end(`<DescribeStacksResponse>${result}</DescribeStacksResponse>`);
  }

  let handles = 0;
  function sqs(action: string, input: z.output<typeof sqsInput>): object {
    const messages = queue(input.QueueUrl);
    if (action === "SendMessageBatch") {
      const entries = z.array(sentEntry).parse(input.Entries);
      for (const entry of entries)
        if (!messages.some((held) => held.entry.MessageDeduplicationId === entry.MessageDeduplicationId))
          messages.push({ entry, sentMs: systemClock.nowMs(), handle: "", hidden: false });
      return {
        Successful: entries.map(({ Id, MessageBody }) => ({
          Id,
          MessageId: Id,
          MD5OfMessageBody: md5(MessageBody),
        })),
      };
    }
    if (action === "GetQueueAttributes") {
      onCount();
      return { Attributes: { ApproximateNumberOfMessages: String(messages.length) } };
    }
    if (action === "ReceiveMessage") return { Messages: receive(messages, input.MaxNumberOfMessages ?? 1) };
    const handlesGiven = z
      .array(z.object({ ReceiptHandle: z.string() }))
      .parse(input.Entries ?? [input])
      .map((each) => each.ReceiptHandle);
    for (const held of messages.filter(({ handle }) => handlesGiven.includes(handle))) {
      if (action === "DeleteMessage") messages.splice(messages.indexOf(held), 1);
      else held.hidden = false;
    }
    return {};
  }

  /** Skips a group that has messages in flight. */
  function receive(messages: Held[], max: number): object[] {
    const busy = new Set(messages.filter(({ hidden }) => hidden).map(({ entry }) => entry.MessageGroupId));
    const given = messages.filter(({ entry }) => !busy.has(entry.MessageGroupId)).slice(0, max);
    return given.map((held) => {
      held.hidden = true;
      held.handle = `handle-${handles++}`;
      const { MessageBody, MessageGroupId, MessageDeduplicationId, MessageAttributes } = held.entry;
      return {
        MessageId: held.handle,
        ReceiptHandle: held.handle,
        Body: MessageBody,
        MD5OfBody: md5(MessageBody),
        MessageAttributes,
        Attributes: { MessageGroupId, MessageDeduplicationId, SentTimestamp: String(held.sentMs) },
      };
    });
  }

  return {
    url,
    /** Simulates the stack's worker: takes every message whenever the messages of a queue are counted. */
    workWith(
      take: (message: Held["entry"]) => { readonly reason: string } | undefined,
      from: string,
      letters: string,
    ) {
      onCount = () => {
        for (const { entry } of queue(from).splice(0)) {
          const failure = take(entry);
          const MessageAttributes = failure && {
            reason: { DataType: "String", StringValue: failure.reason },
          };
          if (MessageAttributes)
            queue(letters).push({
              entry: { ...entry, MessageAttributes },
              sentMs: systemClock.nowMs(),
              handle: "",
              hidden: false,
            });
        }
      };
    },
    messagesOf: (queueUrl: string) => queue(queueUrl).map(({ entry, hidden }) => ({ ...entry, hidden })),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

export const callerArn = "arn:aws:sts::123456789012:assumed-role/Operators/ada@acme.example";
const callerIdentity = `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>${callerArn}</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`;

const md5 = (text: string): string => createHash("md5").update(text).digest("hex");
