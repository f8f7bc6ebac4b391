import { Account } from "../../system/e2e/account.ts";
import { accessesOf } from "../../system/e2e/dynamo-access.ts";
import { type Access, permits, roleStatements, type Statement } from "../../system/e2e/policy.ts";
import { partOf, type StackTemplate } from "../../system/infra/support.ts";
import type { Call } from "./fault.ts";

const tableOperations: ReadonlySet<string> = new Set([
  ...["GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan", "SearchVectors"],
  ...["BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems"],
]);

/** What each function asks of the table in all runs, with and without faults, against its role in the template. */
export class Grants {
  readonly #template: StackTemplate;
  readonly #tableName: string;
  readonly #account: Account;
  readonly #asked = new Map<string, Map<string, Access & { readonly site: string }>>();
  /** By call site, whoever made the call. */
  readonly #askedAt = new Map<string, Map<string, Access>>();

  constructor(template: StackTemplate, tableName: string) {
    this.#template = template;
    this.#tableName = tableName;
    this.#account = new Account(template, tableName);
  }

  /** The calls of a function, or without an id those of the operator. */
  note(functionId: string | undefined, calls: readonly Call[]): void {
    const known = (functionId !== undefined && this.#asked.get(functionId)) || new Map();
    if (functionId !== undefined) this.#asked.set(functionId, known);
    for (const { operation, body, site } of calls) {
      if (!tableOperations.has(operation)) continue;
      const here = this.#askedAt.get(site) ?? new Map();
      this.#askedAt.set(site, here);
      for (const access of accessesOf(this.#account, operation, JSON.parse(body))) {
        known.set(JSON.stringify(access), { ...access, site });
        here.set(JSON.stringify(access), access);
      }
    }
  }

  /** Whether the role of a function allows one access of the table, alone or in a transaction. */
  allows(functionId: string, action: string, partition: string, inTransaction = false): boolean {
    const partitions = [partition];
    return permits(this.statementsOf(functionId), {
      action: `dynamodb:${action}`,
      resource: this.#account.tableArn(this.#tableName),
      partitions,
      ...(inTransaction && { enclosing: { operation: "TransactWriteItems", partitions } }),
    });
  }

  statementsOf(functionId: string): readonly Statement[] {
    return roleStatements(this.#template, this.#account, partOf(functionId, "Function"));
  }

  /** The ids of functions that made a call. */
  get functions(): readonly string[] {
    return [...this.#asked.keys()];
  }

  /** The calls of a function that a role does not allow; its own role unless given. */
  refused(functionId: string, statements = this.statementsOf(functionId)): readonly string[] {
    const asked = [...(this.#asked.get(functionId)?.values() ?? [])];
    const refused = asked.filter((access) => !permits(statements, access));
    return refused.map(
      ({ action, partitions, site }) => `${functionId}: ${action} on ${partitions?.join()} at ${site}`,
    );
  }

  /** The call sites at which any caller made a call that a role does not allow; the function's own role unless given. */
  refusedAt(
    functionId: string,
    sites: readonly string[],
    statements = this.statementsOf(functionId),
  ): readonly string[] {
    const isRefused = (site: string) =>
      [...(this.#askedAt.get(site)?.values() ?? [])].some((access) => !permits(statements, access));
    return sites.filter(isRefused);
  }
}
