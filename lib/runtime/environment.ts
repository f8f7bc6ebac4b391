import { auditLimits } from "../contract/limits.ts";

/** The environment, read in this one place. A missing variable is a deployment error, and its message says so. */

class MissingVariable extends Error {
  override readonly name = "MissingVariable";
}

export function requiredVariable(name: string): string {
  const value = process.env[name];
  if (!value) throw new MissingVariable(`The environment variable ${name} is not set.`);
  return value;
}

export const optionalVariable = (name: string): string | undefined => process.env[name] || undefined;

/** A deploy-time option. Each entry stores its own expiry, so a change applies to new entries only. */
export const auditRetentionDays = (): number =>
  Number(optionalVariable("AUDIT_RETENTION_DAYS") ?? auditLimits.retentionDaysDefault);
