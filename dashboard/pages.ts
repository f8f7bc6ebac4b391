import type { SectionName } from "./protocol.ts";
import type { PageName } from "./view.ts";

type PageSections = {
  readonly title: string;
  /** A page is offered if the key may read one of these. */
  readonly shows: readonly SectionName[];
};

export const pages: Readonly<Record<PageName, PageSections>> = {
  overview: { title: "Overview", shows: ["reviews"] },
  teams: { title: "Teams and repositories", shows: ["reviews", "teams"] },
  quality: { title: "Quality", shows: ["reviews", "mcp", "learnings", "pending"] },
  administration: { title: "Administration", shows: ["seats", "keys", "webhooks", "security", "audit"] },
};

/** What a section needs besides its own records: filters and comparisons, or who is idle. */
const alsoReads: Readonly<Partial<Record<SectionName, readonly SectionName[]>>> = {
  reviews: ["teams", "before"],
  seats: ["reviews", "seatUse"],
};

/** What is read for a page: nothing of another page, and nothing for a section that the key may not read. */
export const sectionsRead = (
  page: PageName,
  isOffered: (name: SectionName) => boolean,
): ReadonlySet<SectionName> =>
  new Set(pages[page].shows.filter(isOffered).flatMap((name) => [name, ...(alsoReads[name] ?? [])]));

/** What a sentence calls a section. */
export const sectionTitles: Readonly<Record<SectionName, string>> = {
  reviews: "Reviews",
  before: "The period before",
  teams: "By team",
  mcp: "MCP use",
  security: "Open security findings",
  seats: "Seats",
  seatUse: "Use of seats",
  keys: "Keys",
  learnings: "Learnings by use",
  pending: "Learnings that wait for approval",
  webhooks: "Webhooks",
  audit: "Recent audit entries",
};
