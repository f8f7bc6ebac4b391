import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ApiError } from "../contract/api-error.ts";
import { securityLimits } from "../contract/limits.ts";

const compress = promisify(gzip);

/** Refuses what code scanning would refuse, and says what to do. Each organization of an instance has its own run. */
export async function checkUploadable(
  { runs }: { readonly runs: readonly unknown[] },
  bytes: Uint8Array,
): Promise<void> {
  const { sarifRunsPerFileMax, sarifGzipBytesMax } = securityLimits;
  if (runs.length > sarifRunsPerFileMax)
    throw new ApiError(
      "RESPONSE_TOO_LARGE",
      `repo_id: the file would have ${runs.length} runs, and code scanning takes at most ${sarifRunsPerFileMax}. Name ` +
        "some of the organizations that have this repository in organization_ids.",
    );
  // A file that is small uncompressed also fits, so it need not be compressed.
  if (bytes.byteLength > sarifGzipBytesMax && (await compress(bytes)).byteLength > sarifGzipBytesMax)
    throw new ApiError(
      "RESPONSE_TOO_LARGE",
      `repo_id: compressed with gzip the file has more than ${sarifGzipBytesMax} bytes, the most that code scanning ` +
        "takes. Ask for some severities at a time.",
    );
}
