import { htmlPage } from "./html-page.ts";
import type { ReviewReport } from "./report.ts";
import { style } from "./style.generated.ts";

export const htmlReport = (report: ReviewReport): string => htmlPage(report, style);
