import type { ApprovalAction, PendingLearning, SectionName } from "../protocol.ts";
import type { PageSession } from "../session.ts";
import type { DashboardView } from "../view.ts";

/** What every page gets. */
export type PageProps = {
  readonly session: PageSession;
  readonly view: DashboardView;
  onView(view: DashboardView): void;
  onRetry(name: SectionName): void;
  onSearch(query: string): void;
  onDecide(learning: PendingLearning, decision: ApprovalAction): void;
  onTestWebhook(id: string): void;
  onDeliveries(id: string): void;
};
