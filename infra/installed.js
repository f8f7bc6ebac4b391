// Plain JavaScript without imports of packages: it also runs on an old Node, and before `npm install`.
import { existsSync } from "node:fs";

/** Without its packages a command would end with an error about a file extension or a module. */
if (!existsSync(new URL("../node_modules/aws-cdk-lib", import.meta.url))) {
  console.error(
    "The packages of this project are not installed. Run npm install first, then this command again.",
  );
  process.exitCode = 1;
}
