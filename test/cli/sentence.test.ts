import { expect, test } from "vitest";
import { sentence } from "../../cli/sentence.ts";
import { NoAnswer } from "../../lib/runtime/aws-error.ts";
import { TimeUp } from "../../lib/runtime/time-up.ts";
import { StoreUnavailable } from "../../lib/store/table.ts";

test.each([
  new StoreUnavailable(undefined, false),
  new NoAnswer("127.0.0.1 did not answer."),
  new TimeUp(),
  AbortSignal.abort(new DOMException("The operation timed out.", "TimeoutError")).reason,
])("a busy service is called busy, not an unexpected error: %s", (error) => {
  expect(sentence(error)).toMatch(/^The store is busy or does not respond\. Try again\./);
});
