/** What an operation returns: plain data. The handler renders it. */
export type Reply =
  | { readonly json: object; readonly headers?: Readonly<Record<string, string>> }
  | BytesReply
  | { readonly empty: true };

export type BytesReply = {
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

export function renderReply(status: number, reply: Reply): Rendered {
  if ("empty" in reply) return { status, headers: {}, body: Buffer.alloc(0) };
  const body = "bytes" in reply ? reply.bytes : Buffer.from(JSON.stringify(reply.json));
  const contentType = "bytes" in reply ? reply.contentType : jsonType;
  return { status, headers: { ...reply.headers, "content-type": contentType }, body };
}
