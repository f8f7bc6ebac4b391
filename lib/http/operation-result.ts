/** What an operation returns: plain data. The handler renders it. */
export type OperationResult =
  | { readonly json: object; readonly headers?: Readonly<Record<string, string>> }
  | BytesResult
  | { readonly empty: true };

export type BytesResult = {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** The rendered answer, before compression. */
export type Rendered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

export const jsonType = "application/json";

export function renderResult(status: number, result: OperationResult): Rendered {
  if ("empty" in result) return { status, headers: {}, body: Buffer.alloc(0) };
  const body = "bytes" in result ? result.bytes : Buffer.from(JSON.stringify(result.json));
  const contentType = "bytes" in result ? result.contentType : jsonType;
  return { status, headers: { ...result.headers, "content-type": contentType }, body };
}
