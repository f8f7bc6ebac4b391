import { writeFile } from "node:fs/promises";
import { type Client, createClient } from "../../lib/client/client.ts";

/** The examples in comments of what others call, so that the compiler reads them. */
export async function examples(): Promise<void> {
  const api = createClient({ baseUrl: "https://api.example.com", key: process.env.REVIEW_API_KEY ?? "" });
  const { body } = await api.getRole({ path: { role_id: "cr_admin" } });
  await Promise.all([printed(api), saved(api)]);
  console.log(body.name);
}

async function printed(api: Client): Promise<void> {
  for await (const { body } of api.pages("listLearnings", { query: { limit: 100 } }))
    for (const { id, learning } of body.data) console.log(id, learning);
}

async function saved(api: Client): Promise<void> {
  const response = await api.raw("listLearnings", { query: { format: "csv" } });
  await writeFile("learnings.csv", await response.text());
}
