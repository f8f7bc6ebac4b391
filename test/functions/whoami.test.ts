import { expect, test } from "vitest";
import { useApi } from "../support/api.ts";
import { everyKindOfKey, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);

test("every kind of key gets its own description, which never contains the key itself", async () => {
  const { keys, organization, home, cloud, hosted } = await everyKindOfKey(world, "who");
  const paying = { plan: "enterprise", metrics: "ready" };
  const own = {
    id: organization,
    name: "Organization who-org",
    provider: "github",
    provider_organization_id: "who-org",
    ...paying,
  };
  const homeRecord = {
    id: home,
    name: "Organization who-home",
    provider: "gitlab",
    provider_organization_id: "who-home",
  };
  const member = ["learning:read", "learning:write", "organization_management:read", "role_management:read"];
  const admin = [...member, "security:read"];
  const expected = {
    organization: ["organization", cloud.provider_organization_id, own, "u-admin", "cr_admin", admin],
    user: ["organization", cloud.provider_organization_id, own, "u-member", "cr_member", member],
    workspace: ["workspace", "who-workspace", own, "u-admin", "cr_admin", member],
    instance: ["instance", hosted.instance_id, { ...homeRecord, ...paying }, "u-admin", "cr_admin", admin],
    legacy: ["organization", cloud.provider_organization_id, own, null, null, []],
    agentic: ["organization", cloud.provider_organization_id, own, "u-member", "cr_member", []],
  } as const;
  for (const [kind, [tenant, tenantId, record, userId, role, permissions]] of Object.entries(expected)) {
    const issued = Object.entries(keys).find(([name]) => name === kind)?.[1];
    const answer = await api.call("/v1/whoami", { key: issued?.text ?? "" });
    expect(answer.json, kind).toEqual({
      key: {
        id: issued?.key.id,
        kind,
        name: kind === "workspace" ? "nightly export" : null,
        expires_at: kind === "workspace" ? expect.any(String) : null,
        only: null,
        made_by: null,
        value_until: null,
      },
      scope: {
        tenant,
        tenant_id: tenantId,
        home: kind === "instance" ? homeRecord : null,
        organizations: [record],
      },
      user_id: userId,
      role,
      permissions,
    });
    expect(answer.body.toString()).not.toContain(issued?.text.slice(-20));
    expect(answer.headers.deprecation).toBe(kind === "legacy" ? "true" : undefined);
  }
});
