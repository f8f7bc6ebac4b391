import type { ComponentChildren } from "preact";
import { safeAddress } from "../links.ts";

/** An address that others wrote becomes a link only if it is http or https. */
export function ExternalLink({
  to,
  children,
}: {
  readonly to: string | null;
  readonly children: ComponentChildren;
}) {
  const address = safeAddress(to);
  return address === null ? (
    <span>{children}</span>
  ) : (
    <a href={address} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
