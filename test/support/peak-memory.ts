import { existsSync, readFileSync } from "node:fs";

/**
 * The peak memory of this program. Does not use `maxRSS` if there is another way: on Linux that includes the memory
 * that the parent process held at the start.
 */
export function peakMemoryBytes(): number {
  const status = "/proc/self/status";
  const peak = existsSync(status) ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, "utf8")) : null;
  return (peak === null ? process.resourceUsage().maxRSS : Number(peak[1])) * 1024;
}
