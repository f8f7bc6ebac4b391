import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { optionalVariable } from "../../lib/runtime/environment.ts";
import { systemCode } from "../fault.ts";

/** Names another file than `.env` of this folder; empty: none is read. */
const fileVariable = "REVIEW_API_ENV_FILE";

export const urlVariable = "REVIEW_API_URL";
export const keyVariable = "REVIEW_API_KEY";

/** What is set for the API in the environment, and where it is not, in the file `.env` of this folder. */
export function apiSettings(): { readonly url: string | undefined; readonly key: string | undefined } {
  const file = readEnvFile(process.env[fileVariable] ?? ".env");
  const setting = (name: string) => optionalVariable(name) ?? (file[name] || undefined);
  return { url: setting(urlVariable), key: setting(keyVariable) };
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
