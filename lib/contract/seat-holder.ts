import { type Provider, providers } from "./access.ts";

/** A membership that holds a seat of a workspace itself, because no e-mail address identifies the person. */
export type SeatHolder = {
  readonly provider: Provider;
  readonly organizationId: string;
  readonly userId: string;
};

/** `provider:org_id:user_id`. Only the user's id may hold an unescaped colon. */
export const seatHolderId = ({ provider, organizationId, userId }: SeatHolder): string =>
  `${provider}:${organizationId.replaceAll("%", "%25").replaceAll(":", "%3A")}:${userId}`;

/** Returns undefined if the text is not such an id. */
export function parseSeatHolderId(text: string): SeatHolder | undefined {
  const [, name, organization = "", userId = ""] = /^([a-z_]+):([^:]+):(.+)$/s.exec(text) ?? [];
  const provider = providers.find((known) => known === name);
  const organizationId = organization.replaceAll("%3A", ":").replaceAll("%25", "%");
  return provider && { provider, organizationId, userId };
}
