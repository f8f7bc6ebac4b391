import { lambdaLimits } from "../../lib/contract/platform.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import {
  type DeployedFunction,
  FunctionFailed,
  type FunctionSettings,
} from "../system/e2e/deployed-function.ts";
import { Environment } from "./environment.ts";

/** One function of the template on AWS's own runtime client: one environment for each concurrent invocation. */
export class RicFunction implements DeployedFunction {
  readonly log: string[] = [];
  readonly settings: FunctionSettings;
  #environments: Environment[] = [];

  constructor(settings: FunctionSettings) {
    this.settings = settings;
  }

  get processIds(): readonly number[] {
    return this.#environments.flatMap(({ processId }) => processId ?? []);
  }

  async invoke(event: unknown): Promise<unknown> {
    const answer = await this.#call(event, false, () => {});
    // The service behind the Runtime API refuses it; the client does not know.
    if (Buffer.byteLength(JSON.stringify(answer)) > lambdaLimits.answerBytesMax)
      throw new FunctionFailed("Response payload size exceeded the maximum allowed payload size.");
    return answer;
  }

  async invokeStreaming(event: unknown, onChunk: (chunk: Buffer) => void): Promise<void> {
    await this.#call(event, true, onChunk);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#environments.map((each) => each.stop()));
    this.#environments = [];
  }

  async #call(event: unknown, streaming: boolean, onChunk: (chunk: Buffer) => void): Promise<unknown> {
    this.#environments = this.#environments.filter(({ isOver }) => !isOver);
    let free = this.#environments.find(({ isFree }) => isFree);
    if (!free) {
      if (this.#environments.length >= this.settings.concurrencyMax)
        throw new FunctionFailed("Rate exceeded");
      free = new Environment(this.settings, (text) => this.log.push(text));
      this.#environments.push(free);
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    await free.run({ id: systemRandom.uuid(), event, streaming, onChunk, resolve, reject });
    return await promise;
  }
}
