import type { ComponentChildren } from "preact";

/** The address if a browser may follow it: http or https. The data contains addresses that others wrote. */
export function safeAddress(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return null;
  const { protocol, href } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? href : null;
}

type ExternalLinkProps = { readonly to: string | null; readonly children: ComponentChildren };

export function ExternalLink({ to, children }: ExternalLinkProps) {
  const address = safeAddress(to);
  return address === null ? (
    <span>{children}</span>
  ) : (
    <a href={address} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
