import type { EventTypeName } from "../contract/event-names.ts";

/**
 * The meaning of events and their fields, for docs/use/events.md and the JSON Schema files. No function imports it. A test
 * compares it with the schemas: every field has a text, and every text belongs to a field.
 */
export type EventDescription = {
  /** What the event is about. */
  readonly meaning: string;
  /** By path: `comments[].url`. */
  readonly fields: Readonly<Record<string, string>>;
};

export const envelopeDescriptions = {
  id: "Your id of this event, a unique UUID. Sending an event again with the same id changes nothing.",
  type: "One of the nine types.",
  occurred_at:
    "When the thing got this state, with an offset. The newest time wins; all its digits count. If two times are equal, " +
    "the greater id wins. At most ten minutes in the future.",
  data: "The whole state of the thing. Further fields are allowed and ignored.",
};

const publicUrl =
  "User, password and parameters that hold credentials are removed before it is stored anywhere.";
const organization = {
  provider: "The kind of Git provider.",
  instance_id: "Id of the self-hosted instance; null for an organization in the provider's cloud.",
  provider_organization_id: "The Git provider's id of the organization.",
};
const repository = { ...organization, repository_id: "The Git provider's id of the repository." };
const firstValue =
  "Only the value of the earliest event counts, and only until the API or the operator sets another.";
const active = "false: its keys stop working, and it is no longer listed.";

export const eventDescriptions: Readonly<Record<EventTypeName, EventDescription>> = {
  "workspace.saved": {
    meaning: "An Enterprise SSO workspace, which several organizations may belong to.",
    fields: {
      id: "Your id of the workspace, unique.",
      name: "For people.",
      admins:
        "Everybody who may use workspace tokens. A person who is not in the list loses this right at once.",
      "admins[].user_id": "The admin's user id.",
      "admins[].email": "The admin's e-mail address; null or empty where it is unknown.",
      seats_purchased: "Seats of the whole workspace. A smaller number takes no assigned seat away.",
      active,
    },
  },
  "instance.saved": {
    meaning: "A self-hosted Git provider, which several organizations may belong to.",
    fields: {
      id: "Your id of the instance, unique. Events of its organizations have it as `instance_id`.",
      name: "For people.",
      provider: "The kind of Git provider.",
      base_url: `Its address, an http or https URL. ${publicUrl}`,
      active,
    },
  },
  "organization.saved": {
    meaning:
      "An organization of a workspace, of an instance, or of neither. Waits for its workspace or instance.",
    fields: {
      ...organization,
      name: "For people.",
      workspace_id: "The workspace it belongs to; null for none. Not together with `instance_id`.",
      plan: "Its plan. Most of the API needs `enterprise`.",
      subscription_active: "Whether the subscription is paid.",
      deployment: "Where its reviews run.",
      active,
      metrics:
        "`ready`: its metrics can be read. `preparing`: callers get a 503 and retry. `unavailable`: the organization does " +
        "not send its metrics, and callers get a 403.",
      seats_purchased: "Seats of the organization. In a workspace only the seats of the workspace count.",
      seat_assignment_mode: `\`automatic\`: a person whose pull request is reviewed gets a seat. \`manual\`: an admin assigns it. ${firstValue}`,
      approval_delay_days: `Days that a Learning from chat waits for an admin; 0 for none. ${firstValue}`,
    },
  },
  "repository.saved": {
    meaning: "A repository. Waits for its organization.",
    fields: {
      ...repository,
      name: "The short name.",
      full_name: "The name with its owner, as in a URL.",
      private: "Whether only members can see it; null where it is not known.",
      url: "Its address, http or https. User, password, query and fragment are removed before it is stored anywhere.",
      active: "false: it is no longer listed, and new Learnings for it are refused.",
      approval_delay_days: `Days that a Learning from chat waits for an admin; null: the delay of the organization. ${firstValue}`,
    },
  },
  "member.saved": {
    meaning: "A person in an organization. Waits for the organization.",
    fields: {
      ...organization,
      user_id: "The Git provider's id of the person, unique within the organization.",
      username: "The login; null where it is not known.",
      email:
        "The e-mail address; null or empty where it is unknown. In a workspace, members with the same address are one " +
        "person.",
      role: `A system role or a custom role's UUID; null for the organization's default. ${firstValue}`,
      seat_assigned: `Whether the person gets a seat. If none is free, the person waits for one. ${firstValue}`,
      readable_repository_ids:
        'The repositories that the person can read, by the provider\'s ids; "*" for all of them.',
      active: "false: the person has left, and the keys that they own in this organization stop working.",
    },
  },
  "pull_request.finalized": {
    meaning:
      "A pull request that was merged or closed, with the findings of its review. Send it again when an outcome changes. " +
      "Waits for its repository.",
    fields: {
      ...repository,
      pr_url: `Its address, unique within the organization. Join the records of the three datasets on it. ${publicUrl}`,
      author_id: "The Git provider's id of the author; null where there is none, for example for a bot.",
      author_username: "The author's login; null where it is not known.",
      created_at: "When it was opened.",
      ready_for_review_at:
        "When it was last marked as ready for review; null where it never was a draft or where that is unknown.",
      first_human_review_at: "When a person first reviewed it; null for never.",
      last_commit_at: "When its last commit was pushed; null where that is not known.",
      merged_at: "Required for a merged pull request, null for a closed one. From 2000-01-01 to tomorrow.",
      closed_at:
        "Required for a pull request that was closed without a merge. For a merged one, null where it is unknown.",
      status: "`closed` means closed without a merge.",
      reviewed: "Whether the reviewer reviewed it. A pull request without a review is in no metrics.",
      review_iterations: "How often the reviewer reviewed it.",
      estimated_complexity: "1 (small) to 5 (large); null where there is no estimate.",
      estimated_review_minutes:
        "Minutes that a person would need to review it; null where there is no estimate.",
      comments: "One element for each finding; null means an empty list.",
      "comments[].url": `The address of the posted comment. Several findings may share it. ${publicUrl}`,
      "comments[].severity":
        "critical, major, minor, trivial or info. Any other word is stored as null, which means unknown or none.",
      "comments[].category":
        "data_integrity_and_integration, functional_correctness, maintainability_and_code_quality, " +
        "performance_and_scalability, security_and_privacy or stability_and_availability. Any other word is stored as null.",
      "comments[].accepted":
        "The outcome, as detected or confirmed. false is no proof of rejection; null means unknown.",
      mcp_servers: "MCP servers that the review used; null means an empty list.",
      "mcp_servers[].name": "The server's name.",
      "mcp_servers[].tools": "The tools of this server that the review used.",
      "mcp_servers[].tools[].name": "The tool's name.",
      "mcp_servers[].tools[].calls": "How often it was called.",
      "mcp_servers[].tools[].failures": "How many of these calls failed.",
    },
  },
  "learning.captured": {
    meaning: "Guidance that the platform found in a chat or a pull request. Waits for its repository.",
    fields: {
      ...repository,
      learning:
        "The text, 1 to 10,000 characters. Credentials in it are removed before it is stored anywhere.",
      author_id: "The Git provider's id of the author.",
      source: "Where it was found. With `pull_request` it stays private until the pull request merges.",
      pr_url: "The pull request; required if `source` is `pull_request`, otherwise it may be null.",
      file: "The file it is about; null for none.",
      source_url: `Its source, an http or https URL; null for none. ${publicUrl}`,
    },
  },
  "learning.used": {
    meaning:
      "Reviews used a Learning again. This event is no state: it adds uses, once for each id of an event.",
    fields: {
      ...organization,
      learning_id: "The Learning's id, a UUID.",
      used_at: "When it was last used, with an offset.",
      count: "How many uses to add.",
    },
  },
  "security_scan.completed": {
    meaning:
      "A scan of a repository, with all its findings. An open finding that is missing from the newest scan counts as " +
      "fixed. Waits for its repository.",
    fields: {
      ...repository,
      scan_id: "Your id of the scan, unique within the repository.",
      commit_sha: "The commit that was scanned.",
      completed_at: "When the scan was complete, with an offset. From 2000-01-01 to tomorrow.",
      findings: "All findings of the scan, each id once; empty for a clean repository.",
      "findings[].id": "Your id of the finding, the same in every scan.",
      "findings[].title": "One line.",
      "findings[].description": "What is wrong; may be empty.",
      "findings[].severity": "How bad it is.",
      "findings[].cwe": "The weakness, such as `CWE-79`. null means none; any other form is stored as null.",
      "findings[].file_path": "The file, relative to the repository's root.",
      "findings[].start_line": "The first line, from 1.",
      "findings[].end_line": "The last line; not before the first.",
      "findings[].evidence": "Lines of code that show it; null means an empty list.",
      "findings[].state": "null means `open`. A dismissed finding stays dismissed when a scan repeats it.",
    },
  },
};
