import type * as z from "zod";

/** What a schema takes. All of it is read-only, so that a function may return what it must not change. */
export type ReadonlyInput<Schema extends z.ZodType> = ReadonlyDeep<z.input<Schema>>;

type ReadonlyDeep<Value> = Value extends readonly (infer Element)[]
  ? ReadonlyArray<ReadonlyDeep<Element>>
  : Value extends object
    ? { readonly [Name in keyof Value]: ReadonlyDeep<Value[Name]> }
    : Value;
