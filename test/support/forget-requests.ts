import { AcceptedKeys } from "../../lib/access/accepted-keys.ts";
import { createRateLimiter } from "../../lib/access/rate-limiter.ts";
import { RefusalMemory } from "../../lib/access/refusals.ts";
import { CursorKeyRing } from "../../lib/http/cursor-keys.ts";
import { dependencies } from "../../lib/http/dependencies.ts";

/** As in a function that has just started: the handlers of this file remember no key, window or refusal. */
export function forgetRequests(): void {
  const { clock, random } = dependencies();
  Object.assign(dependencies(), {
    limiter: createRateLimiter({ clock, random }),
    accepted: new AcceptedKeys(),
    cursorKeys: new CursorKeyRing({ clock }),
    refusals: new RefusalMemory(),
  });
}
