import { type AuditedContext, auditWritesFor } from "../audit/entry.ts";
import * as kinds from "../contract/items.ts";
import { parseOrganization } from "../store/items/organization.ts";
import { parseRepository, type RepositoryItem } from "../store/items/repository.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { retryOnConflict } from "../store/retry-on-conflict.ts";

/** Sets a repository's own approval delay, or with null the organization's; events do not change it afterwards. */
export async function changeApprovalDelay(
  context: AuditedContext,
  uuid: string,
  repositoryId: string,
  approvalDelayDays: number | null,
): Promise<RepositoryItem | undefined> {
  const key = kinds.repository.key({ organization: uuid, repositoryId });
  return retryOnConflict(context, async () => {
    const [organizationItem, item] = await context.table.getMany([
      kinds.organization.key({ organization: uuid }),
      key,
    ]);
    if (!organizationItem || !item) return undefined;
    const organization = parseOrganization(organizationItem);
    const before = parseRepository(item);
    const after = { approval_delay_days: approvalDelayDays };
    const entry = {
      action: "repository.settings_changed" as const,
      resourceType: "repository" as const,
      resourceId: repositoryId,
      summary: "Settings changed: approval_delay_days",
      tenant: organization.tenant,
      organization,
      metadata: { before: { approval_delay_days: before.approval_delay_days }, after },
    };
    await context.table.transact([
      {
        update: key,
        change: {
          set: [
            ["approval_delay_days", approvalDelayDays],
            ["delay_decided", true],
          ],
        },
        when: unchanged(item, ["approval_delay_days"]),
      },
      // If the value is the same, only the decision is new, and the log records only changes.
      ...(before.approval_delay_days === approvalDelayDays ? [] : auditWritesFor(context, entry)),
    ]);
    return { ...before, ...after };
  });
}
