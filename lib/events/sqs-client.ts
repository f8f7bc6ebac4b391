import {
  ChangeMessageVisibilityBatchCommand,
  type ChangeMessageVisibilityBatchCommandInput,
  DeleteMessageCommand,
  type DeleteMessageCommandInput,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  type SendMessageBatchCommandInput,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { awsLimits } from "../contract/limits.ts";
import { awsClientConfig, sendRepeatedly } from "../runtime/aws-client.ts";
import type { AwsIdentity } from "../runtime/aws-identity.ts";

/** An operation of SQS, with its own name and input. The caller parses the answer. */
export type SqsCall = <Operation extends keyof SqsInputs>(
  operation: Operation,
  input: SqsInputs[Operation],
) => Promise<unknown>;
type SqsInputs = {
  SendMessageBatch: SendMessageBatchCommandInput;
  ReceiveMessage: ReceiveMessageCommandInput;
  DeleteMessage: DeleteMessageCommandInput;
  ChangeMessageVisibilityBatch: ChangeMessageVisibilityBatchCommandInput;
};

/** AWS's client of SQS. Import this file only when a message is sent: the client is large. */
export function openSqs(identity?: AwsIdentity): SqsCall {
  const client = new SQSClient({
    ...awsClientConfig({ identity, answerMsMax: awsLimits.queueAnswerMsMax }),
    // The SDK's own rules choose the endpoint; a queue's URL does not consider FIPS or an AWS emulator.
    useQueueUrlAsEndpoint: false,
    cacheMiddleware: true,
  });
  const operations: { [Operation in keyof SqsInputs]: (input: SqsInputs[Operation]) => Promise<unknown> } = {
    SendMessageBatch: (input) => client.send(new SendMessageBatchCommand(input)),
    ReceiveMessage: (input) => client.send(new ReceiveMessageCommand(input)),
    DeleteMessage: (input) => client.send(new DeleteMessageCommand(input)),
    ChangeMessageVisibilityBatch: (input) => client.send(new ChangeMessageVisibilityBatchCommand(input)),
  };
  return (operation, input) =>
    sendRepeatedly({ attemptsMax: awsLimits.attemptsMax }, () => operations[operation](input));
}
