import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { optionalVariable } from "../../lib/runtime/environment.ts";
import { systemCode } from "../fault.ts";

/** Names another file than `.env` of this folder; empty: none is read. */
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
 * What is set for the API in the environment, and where it is not, in the file `.env` of this folder. An address of that
 * file gets the file's own key alone: the folder may be a stranger's, the environment is not.
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
    return parseEnv(readFileSync(file, "utf8"));
  } catch (error) {
    // A folder of that name is somebody else's.
    if (["ENOENT", "EISDIR", "ENOTDIR"].includes(systemCode(error) ?? "")) return {};
    throw error;
  }
}
