import type { AnswerOf, Client, RequestOf } from "./client.ts";

type Answer<Body> = Promise<{ readonly body: Body }>;

/**
 * What a command calls that works in two ways: a client of the API with its key, or the operator, whose calls run the
 * functions behind the operations in this process. What is named here beside the contract only the operator has.
 */
export type Caller = Pick<Client, "pages"> & {
  /** Undefined over HTTP: only the operator sees what keys of every kind did. */
  endLeakedKey?(text: string): Promise<{
    readonly id: string;
    readonly revoked_key_ids: readonly string[];
    readonly entries: AnswerOf<"listAuditLogs">["data"];
    readonly webhooks: ReadonlyArray<Pick<AnswerOf<"getWebhook">, "id" | "url" | "types">>;
  }>;
  rotateKey(
    request: RequestOf<"rotateKey"> & {
      /** For a legacy key: the member who owns the organization key that replaces it. */
      readonly body: { readonly owner?: string | undefined };
    },
  ): Answer<AnswerOf<"rotateKey">>;
  deleteKey(
    request: RequestOf<"deleteKey">,
  ): Answer<{ readonly revoked_key_ids: readonly string[] } | undefined>;
};
