import * as kinds from "../contract/items.ts";
import type { Key, Table } from "../store/table.ts";
import { parsePointer } from "./pointer.ts";

/** The authors of all reviewed pull requests that an organization has now, page by page, each once a page. */
export async function* authorPages(table: Table, organization: string): AsyncGenerator<string[]> {
  let resume: Key | undefined;
  do {
    const page = await table.queryPage({ pk: kinds.pointer.partition({ organization }) }, resume);
    const authors = page.items.map((item) => parsePointer(item, organization).facets?.authorId);
    yield [...new Set(authors.filter((author) => typeof author === "string"))];
    resume = page.resume;
  } while (resume);
}
