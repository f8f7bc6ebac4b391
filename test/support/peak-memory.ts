import { existsSync, readFileSync } from "node:fs";

/**
 * The most memory that this program ever held. Not `maxRSS` where there is another way: on Linux that includes what
 * the process that started this one held at that moment.
 */
export function peakMemoryBytes(): number {
  const status = "/proc/self/status";
  const peak = existsSync(status) ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, "utf8")) : null;
  return (peak === null ? process.resourceUsage().maxRSS : Number(peak[1])) * 1024;
}
