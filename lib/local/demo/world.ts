import type { OutgoingEvent } from "../../events/send.ts";
import { demoEvent } from "./event.ts";
import {
  instanceUrl,
  kernel,
  mobile,
  type Organization,
  type Person,
  people,
  repositories,
  research,
  studio,
  tools,
  web,
} from "./places.ts";

/** Acme's workspace of three organizations, a self-hosted instance with two, and one organization on its own. */

const firstEventMs = Date.parse("2026-01-05T09:00:00.000Z");

/** What the prepared keys are bound to. */
export const demoBindings = {
  workspaceId: "acme",
  organizationId: web.provider_organization_id,
  admin: people.ada.id,
  member: people.ben.id,
  instanceId: "north",
  instanceHomeId: kernel.provider_organization_id,
  instanceAdmin: people.runa.id,
} as const;

type DemoEvent = { readonly type: string; readonly data: Readonly<Record<string, unknown>> };

const workspace: DemoEvent = {
  type: "workspace.saved",
  data: {
    id: "acme",
    name: "Acme",
    admins: [
      { user_id: people.ada.id, email: "ada@acme.example" },
      { user_id: people.chidi.id, email: "chidi@acme.example" },
    ],
    seats_purchased: 25,
    active: true,
  },
};

const instance: DemoEvent = {
  type: "instance.saved",
  data: { id: "north", name: "Northwind Git", provider: "github", base_url: instanceUrl, active: true },
};

const saved = (of: Organization, name: string, more: Readonly<Record<string, unknown>> = {}): DemoEvent => ({
  type: "organization.saved",
  data: {
    ...of,
    name,
    workspace_id: null,
    plan: "enterprise",
    subscription_active: true,
    deployment: of.instance_id === null ? "cloud" : "self_hosted",
    active: true,
    metrics: "ready",
    seats_purchased: 10,
    seat_assignment_mode: "automatic",
    approval_delay_days: 0,
    ...more,
  },
});

const inAcme = { workspace_id: "acme", seats_purchased: 0 };
const organizations: readonly DemoEvent[] = [
  saved(web, "acme-web", inAcme),
  saved(mobile, "acme-mobile", { ...inAcme, approval_delay_days: 3 }),
  saved(research, "acme-research", { ...inAcme, plan: "pro", seat_assignment_mode: "manual" }),
  saved(kernel, "northwind-kernel"),
  saved(tools, "northwind-tools", { seat_assignment_mode: "manual" }),
  saved(studio, "Studio Lumen", { seats_purchased: 3 }),
];

const savedRepositories = repositories.map(
  ({ of, id, fullName, isPrivate, url }): DemoEvent => ({
    type: "repository.saved",
    data: {
      ...of,
      repository_id: id,
      name: fullName.slice(fullName.indexOf("/") + 1),
      full_name: fullName,
      private: isPrivate,
      url,
      active: true,
      approval_delay_days: null,
    },
  }),
);

const member = (
  of: Organization,
  { id, name }: Person,
  domain: string,
  more: Readonly<Record<string, unknown>> = {},
): DemoEvent => ({
  type: "member.saved",
  data: {
    ...of,
    user_id: id,
    username: name,
    email: `${name}@${domain}`,
    role: null,
    seat_assigned: true,
    readable_repository_ids: "*",
    active: true,
    ...more,
  },
});

const admin = { role: "cr_admin" };
const acme = "acme.example";
const northwind = "northwind.example";
const members: readonly DemoEvent[] = [
  ...[web, mobile, research].map((of) => member(of, people.ada, acme, admin)),
  member(web, people.ben, acme, { readable_repository_ids: ["9001", "9003"] }),
  member(mobile, people.ben, acme),
  member(web, people.chidi, acme, admin),
  member(web, people.dana, acme, { role: "cr_billing_admin", seat_assigned: false }),
  member(web, people.farah, acme),
  member(web, people.goran, acme, { seat_assigned: false }),
  // She never opens a pull request: an idle seat.
  member(web, people.petra, acme),
  member(mobile, people.hana, acme),
  member(mobile, people.ivo, acme),
  member(research, people.emeka, acme),
  ...[kernel, tools].map((of) => member(of, people.runa, northwind, admin)),
  member(kernel, people.sven, northwind),
  member(kernel, people.ulf, northwind),
  member(tools, people.tova, northwind, { seat_assigned: false }),
  member(studio, people.lucia, "lumen.example", admin),
  member(studio, people.marco, "lumen.example"),
];

const team = (of: Organization, id: string, name: string, members: readonly Person[]): DemoEvent => ({
  type: "team.saved",
  data: { ...of, team_id: id, name, user_ids: members.map((each) => each.id), active: true },
});

/** Farah is in two teams of acme-web; others are in none. */
const teams: readonly DemoEvent[] = [
  team(web, "31", "Checkout", [people.chidi, people.farah, people.goran]),
  team(web, "32", "Storefront", [people.ben, people.farah]),
  team(mobile, "33", "Mobile", [people.hana, people.ivo]),
  team(kernel, "71", "Kernel", [people.sven, people.ulf]),
];

/** With fixed ids and times, so that applying the events again changes nothing. */
export const worldEvents: readonly OutgoingEvent[] = [
  workspace,
  instance,
  ...organizations,
  ...savedRepositories,
  ...members,
  ...teams,
].map(({ type, data }, index) => demoEvent(type, String(index), firstEventMs + index * 1_000, data));
