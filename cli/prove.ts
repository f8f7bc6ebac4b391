import { proofOutputs, proofTemplate } from "../infra/proof-stack.ts";
import type { Leftovers } from "../lib/checks/proofs/init-times.ts";
import { type Finding, firstPath, type Proof, proofs } from "../lib/checks/proofs/proofs.ts";
import { ProofStack } from "../lib/checks/proofs/stack.ts";
import { operatorIdentity } from "../lib/operator/stack.ts";
import type { AwsIdentity } from "../lib/runtime/aws-identity.ts";
import { systemClock, toTimestamp } from "../lib/runtime/clock.ts";
import { OperatorError } from "../lib/runtime/operator-error.ts";
import { sentence } from "./sentence.ts";

const price =
  "It makes one small stack and ten functions, makes about 30 calls, and removes everything again. This costs less than 0.05 $ and takes up to 45 minutes.";

type Row = Finding & Pick<Proof, "name">;

/** `npm run prove`: shows on AWS what only AWS can show. Without credentials it only prints the list. */
async function main(): Promise<void> {
  const identity = await signedIn();
  if (!identity) {
    console.log(
      [
        "With AWS credentials and AWS_REGION, npm run prove shows:",
        ...proofs.map(({ name }) => `- ${name}`),
        price,
      ].join("\n"),
    );
    return;
  }
  const leftovers: Leftovers = new Map();
  const signal = interruption(leftovers);
  const stack = new ProofStack(`ReviewApi-prove-${systemClock.nowMs().toString(36)}`, identity, { signal });
  console.log(`The stack is ${stack.name}, in ${identity.region}. ${price}`);
  const rows: Row[] = [];
  leftovers.set(
    stack.name,
    `aws cloudformation delete-stack --stack-name ${stack.name} --region ${identity.region}`,
  );
  try {
    const outputs = await stack.create(proofTemplate(stack.name, firstPath)).catch((error: unknown) => {
      throw new OperatorError(`The stack was not created. ${sentence(error)}`);
    });
    const output = (name: keyof typeof proofOutputs) => outputs.get(proofOutputs[name]) ?? "";
    for (const { name, run } of proofs) {
      signal.throwIfAborted();
      console.log(`… ${name}`);
      const finding = await run({ identity, stack, output, leftovers, signal }).catch((error: unknown) => {
        signal.throwIfAborted();
        return { held: false, found: sentence(error) };
      });
      rows.push({ name, ...finding });
    }
  } catch (error) {
    console.error(sentence(error));
  } finally {
    await stack.remove().then(
      () => leftovers.delete(stack.name),
      (error: unknown) => console.error(`${stack.name} was not removed: ${sentence(error)}`),
    );
  }
  for (const line of linesOf(leftovers)) console.error(line);
  console.log(tableOf(rows, identity.region));
  if (rows.length < proofs.length || rows.some(({ held }) => !held) || leftovers.size > 0)
    process.exitCode = 1;
}

const linesOf = (leftovers: Leftovers): readonly string[] =>
  Array.from(leftovers, ([name, command]) => `${name} stays. Remove it: ${command}`);

/** npm passes a Ctrl-C on to a process that has it already: a second signal does not end the removal. */
function interruption(leftovers: Leftovers): AbortSignal {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) return;
    console.error("Interrupted. The proof removes what it made, in up to 20 minutes. If you kill it before:");
    for (const line of linesOf(leftovers)) console.error(line);
    controller.abort(new OperatorError("The proof was interrupted."));
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  return controller.signal;
}

async function signedIn(): Promise<AwsIdentity | undefined> {
  try {
    const identity = await operatorIdentity(undefined);
    await identity.credentials();
    return identity;
  } catch {
    return undefined;
  }
}

/** For docs/change/proof.md. */
function tableOf(rows: readonly Row[], region: string): string {
  const day = toTimestamp(systemClock.nowMs()).slice(0, 10);
  const verdict = (held: Row["held"]) => (typeof held === "string" ? held : held ? "yes" : "**no**");
  const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  return [
    `| ${day}, ${region} | Held | What AWS showed |`,
    "| --- | --- | --- |",
    ...rows.map(({ name, held, found }) => `| ${cell(name)} | ${verdict(held)} | ${cell(found)} |`),
  ].join("\n");
}

await main();
