import { keyKinds } from "../lib/contract/access.ts";
import { dashboardPath } from "../lib/contract/dashboard.ts";
import type { DemoKeys } from "../lib/local/demo/keys.ts";
import { lastDays } from "../lib/report/period.ts";
import { formatTable, type Paint } from "./terminal.ts";

export type Announced = {
  readonly url: string;
  readonly organizations: readonly {
    readonly id: string;
    readonly name: string;
    readonly provider: string;
    readonly provider_organization_id: string;
  }[];
  readonly keys: DemoKeys;
  /** The value of --data, if one was given. */
  readonly data: string | undefined;
  readonly nowMs: number;
  readonly paint: Paint;
};

/** What `dev` prints when the service is ready. Every line of a shell can be pasted into another terminal. */
export function announcement({ url, organizations, keys, data, nowMs, paint }: Announced): string {
  const where = data === undefined ? "" : ` --data '${data}'`;
  const table = organizations.length > 0 ? ["", formatTable(organizations, paint)] : [];
  const [first] = organizations;
  return [
    `The API is ready at ${url} (Ctrl-C stops it), its reference at ${url}/docs`,
    keys.workspace === undefined
      ? `A dashboard is at ${url}${dashboardPath}: it asks for a key`
      : `A dashboard, with the workspace's key behind #: ${url}${dashboardPath}#key=${keys.workspace}`,
    ...table,
    ...(Object.keys(keys).length > 0
      ? linesOfKeys(url, keys, where, nowMs)
      : linesWithoutKeys(first?.provider_organization_id, where)),
  ].join("\n");
}

function linesOfKeys(url: string, keys: DemoKeys, where: string, nowMs: number): readonly string[] {
  const curl = (header: string, path: string) => `curl -H ${header} '${url}${path}'`;
  const kinds = keyKinds.flatMap((kind) =>
    keys[kind] ? ["", `# ${kind}`, curl(`'x-service-api-key: ${keys[kind]}'`, "/v1/whoami")] : [],
  );
  const { start_date, end_date } = lastDays(30, nowMs);
  const reviews = `/v1/metrics/reviews?start_date=${start_date}&end_date=${end_date}&limit=3`;
  const ownKey = '"x-service-api-key: $REVIEW_API_KEY"';
  const ofWorkspace = [
    "",
    "# The workspace's key for this terminal, its organizations, and its reviews of the last 30 days:",
    `export REVIEW_API_KEY='${keys.workspace}'`,
    ...["/v1/organizations", reviews].map((path) => curl(ownKey, path)),
    "",
    "# The same as a file:",
    `npx --no-install review-api export metrics${where} --output reviews.csv`,
  ];
  return ["", "One key of each kind, ready to paste:", ...kinds, ...(keys.workspace ? ofWorkspace : [])];
}

/** An organization comes with an event, and a key belongs to a member of an organization. */
const linesWithoutKeys = (organization: string | undefined, where: string): readonly string[] =>
  organization === undefined
    ? [
        "",
        "There is no organization and no key yet. Send an organization and its members, then make a key:",
        `npx --no-install review-api events send docs/use/examples/events.ndjson${where}`,
        makeKey("4242", "8001", where),
      ]
    : [
        "",
        "No key is shown here. Choose a member, and make a key with this USER_ID:",
        `npx --no-install review-api members list --org ${organization}${where}`,
        makeKey(organization, "USER_ID", where),
      ];

const makeKey = (organization: string, owner: string, where: string): string =>
  `export REVIEW_API_KEY=$(npx --no-install review-api keys create --kind organization --org ${organization} --owner ${owner} --role cr_admin${where})`;
