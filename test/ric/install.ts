import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
/** Compiled by the package's own install script, so it exists only after a successful build. */
const nativePart = `${folder}node_modules/aws-lambda-ric/rapid-client.node`;

/**
 * Before the first test: installs AWS's runtime client in its own folder, because its native part takes minutes to
 * build.
 */
export default function installRuntimeClient(): void {
  if (existsSync(nativePart)) return;
  console.log("Installing aws-lambda-ric and building its native part; this takes some minutes, once.");
  const { status, stdout, stderr } = spawnSync("npm", ["install", "--no-audit", "--no-fund"], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status === 0 && existsSync(nativePart)) return;
  console.error(`${stdout}${stderr}`.split("\n").slice(-30).join("\n"));
  throw new Error("aws-lambda-ric could not be built: it needs Linux with cmake, make, g++, python3 and xz.");
}
