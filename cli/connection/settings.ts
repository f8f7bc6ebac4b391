import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { optionalVariable } from "../../lib/runtime/environment.ts";
import { systemCode } from "../../lib/runtime/operator-error.ts";

/** Names a file to read instead of `.env` in this folder; if empty, no file is read. */
const fileVariable = "REVIEW_API_ENV_FILE";

export const urlVariable = "REVIEW_API_URL";
export const keyVariable = "REVIEW_API_KEY";

export type ApiSettings = {
  readonly url: string | undefined;
  readonly key: string | undefined;
  /** The key that may be sent to `url`. */
  readonly keyForUrl: string | undefined;
};

/**
 * The API's settings from the environment; for settings that are missing there, from the file `.env` of this folder. An
 * address from that file is used only with the key from the same file: someone else may have written the folder's
 * files, but not the environment.
 */
export function apiSettings(): ApiSettings {
  const file = readEnvFile(process.env[fileVariable] ?? ".env");
  const [fileUrl, fileKey] = [file[urlVariable] || undefined, file[keyVariable] || undefined];
  const url = optionalVariable(urlVariable);
  const key = optionalVariable(keyVariable) ?? fileKey;
  return { url: url ?? fileUrl, key, keyForUrl: url === undefined && fileUrl !== undefined ? fileKey : key };
}

function readEnvFile(file: string): NodeJS.Dict<string> {
  if (file === "") return {};
  try {
    const bytes = readFileSync(file);
    // PowerShell writes UTF-16. Both decoders leave a byte order mark out.
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
    return parseEnv(new TextDecoder(encoding).decode(bytes));
  } catch (error) {
    // A folder of that name does not belong to this tool.
    if (["ENOENT", "EISDIR", "ENOTDIR"].includes(systemCode(error) ?? "")) return {};
    throw error;
  }
}
