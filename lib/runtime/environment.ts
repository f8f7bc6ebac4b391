import { auditLimits } from "../contract/limits.ts";

/** The environment, parsed once at the border. A missing variable is a deployment fault and says so. */

export class MissingVariable extends Error {
  override readonly name = "MissingVariable";
}

export function requiredVariable(name: string): string {
  const value = process.env[name];
  if (!value) throw new MissingVariable(`The environment variable ${name} is not set.`);
  return value;
}

export const optionalVariable = (name: string): string | undefined => process.env[name] || undefined;

/** A deploy-time option; entries carry their expiry, so a change holds for new ones. */
export const auditRetentionDays = (): number =>
  Number(optionalVariable("AUDIT_RETENTION_DAYS") ?? auditLimits.retentionDaysDefault);
