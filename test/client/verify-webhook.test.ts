import { Webhook } from "standardwebhooks";
import { describe, expect, test, vi } from "vitest";
import { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from "../../lib/client/client.ts";
import { secretText, signRing } from "../../lib/webhooks/sign.ts";

const secret = secretText(new Uint8Array(32).fill(1));
const other = secretText(new Uint8Array(32).fill(2));
const nowMs = Date.parse("2026-11-17T12:00:00.000Z");
const ring = {
  id: "ring_1",
  type: "learnings",
  data: { organization_id: "Zürich 🚀" },
} as const;
const { body, headers } = signRing(ring, [secret], nowMs);
const signed = (atMs: number) => signRing(ring, [secret], atMs);
const standard = new Webhook(secret);
const signature = headers["webhook-signature"] ?? "";

type Sent = readonly [body: string, headers: Readonly<Record<string, string>>];

const accepts = (text: string | Uint8Array, sent: WebhookHeaders) =>
  verifyWebhook(text, sent, secret, { nowMs: () => nowMs }).then(
    () => true,
    (error: unknown) => {
      expect(error).toBeInstanceOf(WebhookVerificationError);
      return false;
    },
  );

/** Judges by the machine's clock only, so the clock stands still. */
function standardAccepts([text, sent]: Sent): boolean {
  vi.useFakeTimers({ now: nowMs });
  try {
    return standard.verify(text, { ...sent }) !== undefined;
  } catch {
    return false;
  } finally {
    vi.useRealTimers();
  }
}

describe("verifyWebhook", () => {
  const changed = (change: Readonly<Record<string, string>>): Sent => [body, { ...headers, ...change }];
  const without = (name: string): Sent => [
    body,
    Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name)),
  ];
  const at = (seconds: number): Sent => {
    const message = signed(nowMs + seconds * 1_000);
    return [message.body, message.headers];
  };
  const cases: Readonly<Record<string, { readonly sent: Sent; readonly isGood: boolean }>> = {
    "a ring of the service": { sent: [body, headers], isGood: true },
    "a ring that the package signed": {
      sent: changed({ "webhook-signature": standard.sign("ring_1", new Date(nowMs), body) }),
      isGood: true,
    },
    "a ring with several signatures, the right one last": {
      sent: changed({ "webhook-signature": `v1,AAAA v1a,AAAA v2,${signature.slice(3)} ${signature}` }),
      isGood: true,
    },
    "headers in another case": {
      sent: [
        body,
        Object.fromEntries(Object.entries(headers).map(([name, text]) => [name.toUpperCase(), text])),
      ],
      isGood: true,
    },
    "a ring of five minutes ago": { sent: at(-300), isGood: true },
    "a ring that is older": { sent: at(-301), isGood: false },
    "a ring of in five minutes": { sent: at(300), isGood: true },
    "a ring of later": { sent: at(301), isGood: false },
    "another body": { sent: [`${body} `, headers], isGood: false },
    "an empty body": { sent: ["", headers], isGood: false },
    "another id": { sent: changed({ "webhook-id": "ring_2" }), isGood: false },
    "another time": {
      sent: changed({ "webhook-timestamp": String(nowMs / 1_000 + 1) }),
      isGood: false,
    },
    "a time that is no number": { sent: changed({ "webhook-timestamp": "soon" }), isGood: false },
    "a signature of another version": {
      sent: changed({ "webhook-signature": signature.replace("v1,", "v1a,") }),
      isGood: false,
    },
    "a signature without version": {
      sent: changed({ "webhook-signature": signature.slice(3) }),
      isGood: false,
    },
    "the beginning of the signature": {
      sent: changed({ "webhook-signature": `v1,${btoa(atob(signature.slice(3)).slice(0, 31))}` }),
      isGood: false,
    },
    "a signature that differs in its last bit": {
      sent: changed({
        "webhook-signature": `v1,${btoa(atob(signature.slice(3)).replace(/.$/s, (last) => String.fromCharCode(last.charCodeAt(0) ^ 1)))}`,
      }),
      isGood: false,
    },
    "a signature that is not base64": { sent: changed({ "webhook-signature": "v1,!" }), isGood: false },
    "an empty signature": { sent: changed({ "webhook-signature": "v1," }), isGood: false },
    "no signature": { sent: without("webhook-signature"), isGood: false },
    "no id": { sent: without("webhook-id"), isGood: false },
    "no time": { sent: without("webhook-timestamp"), isGood: false },
  };

  test.each(Object.entries(cases))(
    "judges like the package standardwebhooks: %s",
    async (_, { sent, isGood }) => {
      expect([await accepts(...sent), standardAccepts(sent)]).toEqual([isGood, isGood]);
    },
  );

  test("returns the ring, from a text or bytes, and from the headers of fetch", async () => {
    const expected = {
      type: "learnings",
      timestamp: "2026-11-17T12:00:00.000Z",
      data: { organization_id: "Zürich 🚀", resume: { operation: "listLearnings" } },
    };
    const options = { nowMs: () => nowMs };
    expect(await verifyWebhook(body, headers, secret, options)).toEqual(expected);
    expect(await verifyWebhook(Buffer.from(body), new Headers(headers), secret, options)).toEqual(expected);
  });

  test("accepts each of two secrets while both sign, and no third one", async () => {
    const both = signRing(ring, [other, secret], nowMs);
    for (const each of [secret, other])
      expect(await verifyWebhook(both.body, both.headers, each, { nowMs: () => nowMs })).toBeTruthy();
    const third = secretText(new Uint8Array(32).fill(3));
    await expect(verifyWebhook(both.body, both.headers, third, { nowMs: () => nowMs })).rejects.toThrow(
      "No signature",
    );
  });

  test("takes the time of the machine, and another tolerance", async () => {
    vi.useFakeTimers({ now: nowMs + 301_000 });
    await expect(verifyWebhook(body, headers, secret)).rejects.toThrow("too old");
    expect(await verifyWebhook(body, headers, secret, { toleranceSeconds: 301 })).toBeTruthy();
    vi.useRealTimers();
  });

  test.each([[{ type: "learnings" }], [undefined], [new ArrayBuffer(3)]])(
    "says what to pass instead of a parsed body: %j",
    async (parsed) => {
      // A caller without types may do this.
      const call = Reflect.apply(verifyWebhook, undefined, [parsed, headers, secret, { nowMs: () => nowMs }]);
      await expect(call).rejects.toThrow(
        new TypeError(
          "Pass the raw body: the text or the bytes as they arrived, before anything parses them.",
        ),
      );
    },
  );

  test("refuses to work with something that is no secret", async () => {
    for (const wrong of ["", "whsec_", "whsec_!", "MfKQ9r8G", "undefined"])
      await expect(verifyWebhook(body, headers, wrong, { nowMs: () => nowMs })).rejects.toThrow(TypeError);
  });
});
