import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type BundleSize, bundleFunctions } from "../../../infra/bundle.ts";
import manifest from "./peers/package.json" with { type: "json" };

const { dependencies: versions } = manifest;

/** `GET /v1/organizations` again with each of these, in `peers/<source>.ts`. */
export const peers = [
  { source: "hono", name: `Hono ${versions.hono}` },
  { source: "fastify", name: `Fastify ${versions.fastify}` },
  {
    source: "express",
    name: `Express ${versions.express} with serverless-http ${versions["serverless-http"]}`,
  },
  {
    source: "powertools",
    name: `Powertools event handler ${versions["@aws-lambda-powertools/event-handler"]}`,
  },
  { source: "nest", name: `NestJS ${versions["@nestjs/core"]} on Fastify` },
] as const;

const directory = fileURLToPath(new URL("./peers/", import.meta.url));

/** Adapters of NestJS that this one does not use, and optional packages of Fastify's adapter. */
const absent = [
  "@fastify/multipart",
  "@fastify/static",
  "@fastify/view",
  "@nestjs/microservices",
  "@nestjs/platform-express",
  "@nestjs/websockets",
  "class-transformer",
  "class-validator",
];

/** In their own folder, so that building or testing the service does not install five frameworks. */
export function installPeers(say: (line: string) => void): void {
  // npm writes this file last.
  if (existsSync(`${directory}node_modules/.package-lock.json`)) return;
  say("installing the peers");
  const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: directory,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error("The peers could not be installed.");
}

/** Bundled like our own functions: `<outputDirectory>/<source>/index.mjs`. */
export const bundlePeers = (outputDirectory: string): Promise<readonly BundleSize[]> =>
  bundleFunctions({
    sources: peers.map(({ source }) => source),
    sourceDirectory: directory,
    outputDirectory,
    absent,
  });
