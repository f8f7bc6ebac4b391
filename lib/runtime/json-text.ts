import type { ByteWriter } from "./byte-writer.ts";

/**
 * JSON that is put together by hand, for speed, and still has the type of its schema: a field that is missing, misspelt or
 * of another type does not compile.
 */

declare const shown: unique symbol;

/** JSON of a `Value`. No text has the field `shown`: it tells the compiler which value a reader gets. */
export type JsonText<Value> = string & { readonly [shown]: Value };

/** Shows the compiler that JSON of a `Value` was written. */
export type Written<Value> = { readonly [shown]: Value };

export type WriteJson<Value> = (out: ByteWriter) => Written<Value>;

/** For text that is stored as JSON: its reader says what it shows, because the compiler cannot know. */
export const storedJson = <Value = unknown>(text: string): JsonText<NoInfer<Value>> =>
  text as JsonText<Value>;

export const jsonText = <Value>(value: Value): JsonText<Value> => storedJson<Value>(JSON.stringify(value));

/** Faster than `jsonText`, for text without characters that JSON escapes. */
export const plainText = <Text extends string>(text: Text): JsonText<Text> => storedJson<Text>(`"${text}"`);

const nothing = {} as Written<never>;

/** For a function that writes bytes of its own: it says what they show, because the compiler cannot know. */
export const written = <Value = unknown>(): Written<NoInfer<Value>> => nothing;

export function writeText<Value>(out: ByteWriter, text: JsonText<Value>): Written<Value> {
  out.text(text);
  return nothing;
}

/**
 * Makes a function that writes the fields in the order in which they are given: always the same fields, in one order.
 */
export function objectWriter<Value>(): (out: ByteWriter, fields: FieldsOf<Value>) => Written<Value> {
  const beginnings: string[] = [];
  return (out, fields) => {
    let text = "";
    let index = 0;
    for (const name in fields) {
      const value = fields[name];
      text += beginnings[index] ??= `${index === 0 ? "{" : ","}"${name}":`;
      index++;
      if (typeof value === "string") text += value;
      else {
        out.text(text);
        value(out);
        text = "";
      }
    }
    out.text(`${text}}`);
    return nothing;
  };
}

export type FieldsOf<Value> = {
  readonly [Name in keyof Value]-?: JsonText<Value[Name]> | WriteJson<Value[Name]>;
};
