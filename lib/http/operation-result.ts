import type * as z from "zod";
import type { Operation } from "../contract/operation.ts";
import type { ReadonlyInput } from "../contract/readonly-input.ts";

/** What an operation returns: plain data. The handler renders it. */
export type OperationResult = JsonResult<unknown> | BytesResult<unknown> | EmptyResult;

/** What this operation returns: what its `answer.schema` takes, or nothing if its answer has no body. */
export type ResultOf<Op extends Operation> = Op["answer"] extends {
  readonly schema: infer Schema extends z.ZodType;
}
  ? JsonResult<ReadonlyInput<Schema>> | BytesResult<ReadonlyInput<Schema>>
  : EmptyResult;

/**
 * TypeScript lets an object have more fields than its type names. This refuses them in a result, by their paths, so that
 * the answer has only what its schema has.
 */
export type Exact<Op extends Operation, Result> = [
  ExtraField<AnswerIn<Result>, AnswerIn<ResultOf<Op>>, "answer">,
] extends [never]
  ? unknown
  : { readonly "not in the answer's schema": ExtraField<AnswerIn<Result>, AnswerIn<ResultOf<Op>>, "answer"> };

type AnswerIn<Result> = Result extends { readonly json: infer Answer } | { readonly [content]: infer Answer }
  ? Answer
  : never;

/** The paths of the fields of `Value` that no alternative of `Allowed` has. */
type ExtraField<Value, Allowed, Path extends string> = Value extends readonly (infer Element)[]
  ? ExtraField<Element, ElementOf<Allowed>, `${Path}[]`>
  : Value extends object
    ? {
        [Name in keyof Value & string]-?: Name extends NameOf<Allowed>
          ? ExtraField<Value[Name], ValueOf<Allowed, Name>, `${Path}.${Name}`>
          : `${Path}.${Name}`;
      }[keyof Value & string]
    : never;
type ElementOf<Value> = Value extends readonly (infer Element)[] ? Element : never;
type NameOf<Value> = Value extends object ? keyof Value : never;
type ValueOf<Value, Name extends string> = Value extends { readonly [N in Name]?: infer Of } ? Of : never;

type Headers = Readonly<Record<string, string>>;
type EmptyResult = { readonly empty: true };
type JsonResult<Answer> = { readonly json: Answer; readonly headers?: Headers };

declare const content: unique symbol;

/** An answer that is rendered already. No value has `content`: it tells the compiler what the bytes hold. */
export type BytesResult<Answer> = RenderedBytes & { readonly [content]: Answer };

type RenderedBytes = {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly headers?: Headers;
};

/** For a file whose format is not the schema's, such as CSV, `Answer` is `never`: every operation may return it. */
export const bytesResult = <Answer = never>(rendered: RenderedBytes): BytesResult<Answer> =>
  rendered as BytesResult<Answer>;

/** The rendered answer, before compression. */
export type Rendered = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
};

export const jsonType = "application/json";

export function renderResult(status: number, result: OperationResult): Rendered {
  if ("empty" in result) return { status, headers: {}, body: Buffer.alloc(0) };
  const body = "bytes" in result ? result.bytes : Buffer.from(JSON.stringify(result.json));
  const contentType = "bytes" in result ? result.contentType : jsonType;
  return { status, headers: { ...result.headers, "content-type": contentType }, body };
}
