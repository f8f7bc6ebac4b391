import type { Subject } from "../../lib/contract/requests.ts";

const missing = "00000000-0000-4000-8000-000000000000";

/** A well-formed subject of which nothing exists: tests replace the things that their world has. */
export const absent: Subject = {
  organization_id: missing,
  learning_id: missing,
  role_id: missing,
  key_id: "kaaaaaaaaaaaaaaaa",
  webhook_id: missing,
  repository_id: "1",
  user_id: "u-member",
  email: "u-member@example.com",
  text: "Say why, not what.",
  start_date: "2026-11-01",
  end_date: "2026-11-30",
  // Nobody listens there: an attempt fails at once, and no packet leaves the machine.
  receiver_url: "http://127.0.0.1:9/rings",
  once: "0d5e1c52-0000-4000-8000-0000000000aa",
};
