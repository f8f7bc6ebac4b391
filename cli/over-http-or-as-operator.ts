import { operatorCaller } from "../lib/operator/caller.ts";
import { UsageError } from "../lib/runtime/operator-error.ts";
import { overHttp, type SharedCommand } from "./api/call.ts";
import type { Command, CommandInput } from "./command.ts";
import { withConnection } from "./connection/open.ts";
import { readProfile } from "./connection/profile.ts";
import { apiSettings } from "./connection/settings.ts";

/**
 * One command for both: with a key it works over HTTP, with the rights of that key; with --data or --stack, or where
 * there is no key, it works as the operator.
 */
export const eitherWay = (http: Command, operator: Command, keyWins = false): Command => ({
  ...http,
  note: keyWins
    ? `${http.note} With --data or --stack and no key it works as the operator.`
    : "With a key (--key, REVIEW_API_KEY, .env or login) it works over HTTP, with the rights of that key. " +
      "With --data or --stack, or without a key, it works as the operator.",
  options: { ...operator.options, ...http.options },
  async run(input, terminal, findTarget) {
    const isHttp = await isOverHttp(input, keyWins);
    const [chosen, other] = isHttp ? [http, operator] : [operator, http];
    const foreign = Object.keys(other.options ?? {}).find(
      (name) => !(name in (chosen.options ?? {})) && input.has(name),
    );
    if (foreign !== undefined)
      throw new UsageError(
        isHttp
          ? `--${foreign} works only as the operator, with --data or --stack.`
          : `--${foreign} works only over HTTP, with a key.`,
      );
    if (isHttp && !keyWins && !input.flag("json") && !apiNames.some((name) => input.has(name)))
      terminal.say("Over HTTP, with your key. With --data or --stack the command works as the operator.");
    await chosen.run(input, terminal, findTarget);
  },
});

/** The same for a command that is written once. */
export const overHttpOrAsOperator = (shared: SharedCommand): Command =>
  eitherWay(
    overHttp(shared),
    {
      ...shared,
      options: { ...shared.options, ...shared.operatorOptions },
      run: (input, terminal) =>
        shared.run(input, terminal, (work) =>
          withConnection(input, (connection) => work(operatorCaller(connection))),
        ),
    },
    shared.keyWins,
  );

const apiNames = ["url", "key"];
/** A key chooses no kind of key, ends no key by its text, and replaces no lost value. */
const operatorNames = ["data", "stack", "region", "kind", "leaked", "lost"];

async function isOverHttp(input: CommandInput, keyWins: boolean): Promise<boolean> {
  const ofApi = apiNames.find((name) => input.has(name));
  const ofOperator = operatorNames.find((name) => input.has(name));
  if (keyWins) return ofApi !== undefined || ofOperator === undefined || apiSettings().key !== undefined;
  if (ofApi !== undefined && ofOperator !== undefined)
    throw new UsageError(
      `--${ofApi} and --${ofOperator} cannot be used together: --${ofApi} works over HTTP, --${ofOperator} as the operator.`,
    );
  if (ofApi !== undefined) return true;
  if (ofOperator !== undefined) return false;
  return apiSettings().key !== undefined || (await readProfile()) !== undefined;
}
