import { v5 as uuidFromName } from "uuid";
import type { OutgoingEvent } from "../../lib/events/send.ts";
import { toTimestamp } from "../../lib/runtime/clock.ts";

/**
 * A small world to try the API on: Acme's workspace of three organizations, a self-hosted instance with two,
 * and one organization on its own. Told as platform events, applied on the way all events take.
 */

const demoNamespace = "5b0d3c5e-6b0f-4d5c-9d5e-0d9f5f1f7c11";
const firstEventMs = Date.parse("2026-01-05T09:00:00.000Z");

type DemoEvent = { readonly type: string; readonly data: Readonly<Record<string, unknown>> };

type Organization = {
  readonly provider: string;
  readonly instance_id: string | null;
  readonly provider_organization_id: string;
};
const organization = (provider: string, id: string, instance: string | null = null): Organization => ({
  provider,
  instance_id: instance,
  provider_organization_id: id,
});

const web = organization("github", "1001");
const mobile = organization("github", "1002");
const research = organization("gitlab", "1003");
const kernel = organization("github", "7001", "north");
const tools = organization("github", "7002", "north");
const studio = organization("bitbucket", "3001");

/** What the ready-made keys are bound to. */
export const demoBindings = {
  workspaceId: "acme",
  organizationId: web.provider_organization_id,
  admin: "501",
  member: "502",
  instanceId: "north",
  instanceHomeId: kernel.provider_organization_id,
  instanceAdmin: "701",
} as const;

const workspace: DemoEvent = {
  type: "workspace.saved",
  data: {
    id: "acme",
    name: "Acme",
    admins: [
      { user_id: "501", email: "ada@acme.example" },
      { user_id: "503", email: "chidi@acme.example" },
    ],
    seats_purchased: 25,
    active: true,
  },
};

const instance: DemoEvent = {
  type: "instance.saved",
  data: {
    id: "north",
    name: "Northwind Git",
    provider: "github",
    base_url: "https://git.northwind.example",
    active: true,
  },
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

const hosts: Readonly<Record<string, string>> = {
  github: "https://github.com",
  gitlab: "https://gitlab.com",
  bitbucket: "https://bitbucket.org",
};

const repository = (of: Organization, id: string, fullName: string, isPrivate: boolean): DemoEvent => ({
  type: "repository.saved",
  data: {
    ...of,
    repository_id: id,
    name: fullName.slice(fullName.indexOf("/") + 1),
    full_name: fullName,
    private: isPrivate,
    url: `${of.instance_id === null ? hosts[of.provider] : "https://git.northwind.example"}/${fullName}`,
    active: true,
    approval_delay_days: null,
  },
});

const repositories: readonly DemoEvent[] = [
  repository(web, "9001", "acme-web/storefront", true),
  repository(web, "9002", "acme-web/checkout", true),
  repository(web, "9003", "acme-web/design-system", false),
  repository(mobile, "9101", "acme-mobile/ios", true),
  repository(mobile, "9102", "acme-mobile/android", true),
  repository(research, "9201", "acme-research/ranking", true),
  repository(kernel, "9001", "northwind-kernel/scheduler", true),
  repository(kernel, "9002", "northwind-kernel/drivers", true),
  repository(tools, "9301", "northwind-tools/build", true),
  repository(studio, "9401", "studio-lumen/portfolio", false),
];

const member = (
  of: Organization,
  id: string,
  name: string,
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
const members: readonly DemoEvent[] = [
  ...[web, mobile, research].map((of) => member(of, "501", "ada", "acme.example", admin)),
  member(web, "502", "ben", "acme.example", { readable_repository_ids: ["9001", "9003"] }),
  member(mobile, "502", "ben", "acme.example"),
  member(web, "503", "chidi", "acme.example", admin),
  member(web, "504", "dana", "acme.example", { role: "cr_billing_admin", seat_assigned: false }),
  member(research, "505", "emeka", "acme.example"),
  ...[kernel, tools].map((of) => member(of, "701", "runa", "northwind.example", admin)),
  member(kernel, "702", "sven", "northwind.example"),
  member(tools, "703", "tova", "northwind.example", { seat_assigned: false }),
  member(studio, "901", "lucia", "lumen.example", admin),
  member(studio, "902", "marco", "lumen.example"),
];

/** With ids and times that never change, so that applying them again changes nothing. */
export const demoEvents: readonly OutgoingEvent[] = [
  workspace,
  instance,
  ...organizations,
  ...repositories,
  ...members,
].map(({ type, data }, index) => ({
  id: uuidFromName(`${type} ${index}`, demoNamespace),
  type,
  occurred_at: toTimestamp(firstEventMs + index * 1_000),
  data,
}));
