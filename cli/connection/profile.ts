import { chmod, mkdir, readFile, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod";
import { optionalVariable } from "../../lib/runtime/environment.ts";
import { OperatorError, systemCode } from "../../lib/runtime/operator-error.ts";
import { writeWhole } from "../../lib/runtime/write-whole.ts";

const profileSchema = z.strictObject({ url: z.string(), key: z.string() });
/** What `review-api login` stores: the address of the API and its key. */
export type Profile = z.output<typeof profileSchema>;

/** In the system's folder for user settings of programs. */
export function profileFile(): string {
  const roaming = process.platform === "win32" ? optionalVariable("APPDATA") : undefined;
  const folder = optionalVariable("XDG_CONFIG_HOME") ?? roaming ?? join(homedir(), ".config");
  return join(folder, "review-api", "profile.json");
}

const ownerOnly = { folder: 0o700, others: 0o077 } as const;

export async function readProfile(): Promise<Profile | undefined> {
  const file = profileFile();
  try {
    const { mode } = await stat(file);
    // Windows has no such modes and reports all of them as set.
    if (process.platform !== "win32" && (mode & ownerOnly.others) !== 0)
      throw new OperatorError(
        `${file} holds a key and others may read it. Allow only yourself: chmod 600 ${file}`,
      );
    return profileSchema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    if (error instanceof SyntaxError || error instanceof z.ZodError)
      throw new OperatorError(`${file} is damaged. Write it again: npx --no-install review-api login`);
    throw error;
  }
}

export async function writeProfile(profile: Profile): Promise<string> {
  const file = profileFile();
  await mkdir(dirname(file), { recursive: true, mode: ownerOnly.folder });
  await chmod(dirname(file), ownerOnly.folder);
  await writeWhole(file, `${JSON.stringify(profile)}\n`);
  return file;
}

/** True if there was a profile. */
export async function removeProfile(): Promise<boolean> {
  try {
    await rm(profileFile());
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}
