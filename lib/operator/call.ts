import type * as z from "zod";
import type { Paging } from "../access/operation-context.ts";
import type { Client } from "../client/client.ts";
import { ApiError } from "../contract/api-error.ts";
import { parsedBy } from "../contract/schema-sentences.ts";

/** The same sentences as over HTTP. */
export const parsed = <Schema extends z.ZodObject>(schema: Schema, body: object): z.output<Schema> =>
  parsedBy(schema, body, {
    whole: "body",
    refuse: (sentences) => new ApiError("INVALID_REQUEST", sentences),
  });

/** A cursor never leaves this process, so it is the position itself. */
export function pagingOf(
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
  sizeDefault: number,
): Paging {
  const next = (position: unknown) => JSON.stringify(position);
  const position = cursor === undefined ? null : JSON.parse(cursor);
  return { position, resumes: false, pageSize: limit ?? sizeDefault, next, resume: next };
}

type PagedCall = (request: { readonly query: { readonly cursor?: string } }) => Promise<{
  readonly next_cursor: string | null;
}>;

/** Has the client's types, because each of these calls has its own from there. */
export function pagesOf(calls: Readonly<Record<string, PagedCall>>): Client["pages"] {
  async function* pages(name: string, request: { readonly query?: object } = {}) {
    const call = calls[name];
    if (!call) throw new TypeError(`The operator has no call ${name}.`);
    let cursor: string | null = null;
    do {
      const query = { ...request.query, ...(cursor !== null && { cursor }) };
      const body = await call({ query });
      yield { body, status: 200, headers: new Headers(), resumeCursor: null };
      cursor = body.next_cursor;
    } while (cursor !== null);
  }
  return pages as unknown as Client["pages"];
}
