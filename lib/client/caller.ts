import type { CallOptions, Client, OperationName, RequestOf, ResponseOf } from "./client.ts";

type Answer<Body> = Promise<{ readonly body: Body }>;
type Calls<Names extends OperationName> = {
  readonly [Name in Names]: (request: RequestOf<Name>, options?: CallOptions) => Answer<ResponseOf<Name>>;
};

/**
 * What a command calls that works in two ways: a client of the API with its key, or the operator, whose calls run the
 * functions behind the operations in this process. What is named here beside the contract only the operator has.
 */
export type Caller = Pick<Client, "pages"> &
  Calls<"decideLearning" | "searchLearnings"> & {
    /** Undefined over HTTP: only the operator sees what keys of every kind did. */
    endLeakedKey?(text: string): Promise<{
      readonly id: string;
      readonly revoked_key_ids: readonly string[];
      readonly entries: ResponseOf<"listAuditLogs">["data"];
      readonly webhooks: ReadonlyArray<Pick<ResponseOf<"getWebhook">, "id" | "url" | "types">>;
    }>;
    deleteKey(
      request: RequestOf<"deleteKey">,
    ): Answer<{ readonly revoked_key_ids: readonly string[] } | undefined>;
    /** Seats that are counted together. A key has one group; the operator has all, or that of an organization. */
    seatGroups(organization: string | undefined): Promise<readonly SeatCaller[]>;
  };

/** What a report reads. */
export type ReportCaller = Calls<"listReviewMetrics" | "listReviewCommentMetrics" | "listTeams">;

/** The calls about one group of seats, and about the organizations that share it. */
export type SeatCaller = Pick<Client, "pages"> &
  ReportCaller & {
    assignSeats(request: RequestOf<"assignSeats">): Answer<{
      readonly failed: ReadonlyArray<{ readonly id: string; readonly message: string }>;
    }>;
    whoami(): Answer<{
      readonly key: Pick<ResponseOf<"whoami">["key"], "kind" | "only">;
      readonly scope: ResponseOf<"whoami">["scope"];
      readonly permissions: readonly string[];
    }>;
    /** Reads the metrics of every plan, leaves out organizations without metrics, and may name any number of authors. */
    readonly isOperator?: true;
  };
