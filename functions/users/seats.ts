import { assignSeats as operation } from "../../lib/contract/operations/users.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { assignSeats } from "../../lib/people/assign-seats.ts";

export const handler = createHandler(operation, async (call) => ({
  json: await assignSeats(call, call.input.body),
}));
