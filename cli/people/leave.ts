import { plural } from "../../lib/contract/plural.ts";
import { keysOf, peopleNamed, personNamed, readPeople, seatName } from "../../lib/roster/people.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import { callApi, orgOption } from "../api/call.ts";
import type { Command } from "../command.ts";
import { apiOptions } from "../connection/named-target.ts";
import { formatTable } from "../terminal.ts";

export const leave: Command = {
  name: "leave",
  summary:
    "Take the seat of somebody who leaves, and revoke their keys and workspace tokens; a plan unless --yes",
  connects: true,
  argument: { name: "EMAIL|USER", required: true, help: "the e-mail address, or the provider's user id" },
  options: { yes: { help: "do it" }, ...orgOption, ...apiOptions },
  examples: ["people leave ada@acme.example", "people leave ada@acme.example --yes"],
  run: (input, terminal, findTarget) =>
    callApi(input, findTarget, async (client) => {
      const name = input.requiredArgument("EMAIL|USER");
      const people = await readPeople(client, input.text("org"));
      const isGone =
        people.isWorkspace && name.includes("@") && peopleNamed(people, name, undefined).length === 0;
      // Whoever has left every organization may still own tokens of the workspace.
      const person = isGone ? undefined : personNamed(people, name, input.text("org"));
      const named = person?.user.seat_assigned ? seatName(people, person, "unassign") : undefined;
      const keys = await keysOf(client, people, person ? person.user.email : name, person?.memberships ?? []);
      const inUse = people.caller.key.id;
      const ends = keys.filter(
        ({ id, kind }) => ["user", "agentic", "workspace"].includes(kind) && id !== inUse,
      );
      const owned = keys.filter(
        ({ id, kind }) => ["organization", "instance"].includes(kind) || id === inUse,
      );
      const isDone = input.flag("yes");
      if (isDone) {
        if (named) {
          const body = { action: "unassign", [named.field]: [named.id] } as const;
          const [failure] = (await client.assignSeats({ body })).body.failed;
          if (failure) throw new OperatorError(`The seat was not taken: ${failure.message}`);
        }
        for (const { id } of ends) await client.deleteKey({ path: { key_id: id } });
      }
      const brief = (key: (typeof keys)[number]) => ({
        ...{ id: key.id, kind: key.kind, name: key.name },
        organizations: key.organizations?.join(", ") ?? "all",
      });
      const answer = {
        done: isDone,
        seat: named !== undefined,
        ended_keys: ends.map(brief),
        owned_keys: owned.map(brief),
      };
      if (input.flag("json")) return terminal.out(JSON.stringify(answer));
      if (named) terminal.say(isDone ? "Took the seat." : "Would take the seat.");
      if (ends.length > 0) {
        terminal.say(`${isDone ? "Revoked" : "Would revoke"} ${plural(ends.length, "key")}:`);
        terminal.out(formatTable(answer.ended_keys, terminal.paint));
      }
      if (!named && ends.length === 0) terminal.say("There is nothing to do.");
      if (owned.length > 0) {
        terminal.say(
          "They own these keys, which this command does not revoke. A key of an organization gets 401 from the day its owner leaves: make new ones before.",
        );
        terminal.out(formatTable(answer.owned_keys, terminal.paint));
      }
      if (!isDone && (named || ends.length > 0)) terminal.say("Nothing was changed; --yes does it.");
    }),
};
