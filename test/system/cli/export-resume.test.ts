import { appendFile, chmod, readdir, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { tryLock } from "../../../lib/runtime/file-lock.ts";
import { callJson, callTool, useDev } from "../../cli/support.ts";
import { keyOf, type StandIn } from "../../mirror/export-api.ts";
import { all, learning, useExport } from "./export-fixture.ts";

const { started, target, content, exportLearnings, lines } = useExport(useDev());
let api: StandIn;
let output = "";
beforeAll(() => {
  ({ api, output } = started());
});

describe("--resume", () => {
  test.each(["ndjson", "json", "csv"])(
    "--resume applies changes and removals since the last run, in %s",
    async (format) => {
      await exportLearnings("--format", format, "--resume");
      api.later = [{ ...learning(1), learning: "another" }, learning(5)];
      api.removed = [
        { id: "l2", provider: "github", organization_id: "1", removed_at: "2026-01-01T00:00:00.000Z" },
      ];
      api.queries.splice(0);
      expect(
        await callJson(
          ...["export", "learnings", "--output", output, "--format", format, "--resume", ...target()],
        ),
      ).toEqual({
        file: output,
        format,
        added: 1,
        changed: 1,
        removed: 1,
        records: 4,
        bytes: (await stat(output)).size,
        too_large: [],
      });
      expect(api.queries.map((query) => [query.get("cursor"), query.get("include_removed")])).toEqual([
        ["resume", "true"],
      ]);
      const text = await content();
      const now = [learning(3), learning(4), ...api.later];
      if (format === "json") expect(JSON.parse(text)).toEqual(now);
      if (format === "ndjson") expect(await lines()).toEqual(now);
      if (format === "csv") {
        expect(text.match(/^id,learning,/gm)).toHaveLength(1);
        expect(text.match(/^l\d,/gm)).toEqual(["l3,", "l4,", "l1,", "l5,"]);
        expect(text).toMatch(/\r\nl5,"'=Text 5, ""quoted""\n",.*\r\n$/s);
      }
    },
  );

  test("--resume keeps the first run's window: one that moved with the day would need another cursor", async () => {
    const words = ["export", "metrics", "--output", output, ...target()];
    await callTool(...words, "--start", "2026-01-01");
    expect(api.queries[0]?.get("end_date")).toBe("9999-12-31");
    api.queries.splice(0);
    expect((await callTool(...words, "--resume")).code).toBe(0);
    expect(api.queries[0]?.get("start_date")).toBe("2026-01-01");
    const moved = await callTool(...words, "--start", "2026-02-01", "--resume");
    expect([moved.code, moved.stderr]).toEqual([1, expect.stringContaining("(start_date)")]);
  });

  test("--resume does not write an unchanged file, and keeps its mode and the link to it", async () => {
    await exportLearnings();
    await chmod(output, 0o640);
    const link = join(dirname(output), "link.ndjson");
    await symlink(output, link);
    const through = ["export", "learnings", "--output", link, ...target(), "--resume"];
    const before = await stat(output);
    expect((await callTool(...through)).stderr).toBe(
      `${output} has 4 Learnings (0 new, 0 changed, 0 removed).`,
    );
    expect((await stat(output)).ino).toBe(before.ino);
    api.later = [learning(5)];
    await callTool(...through);
    expect(await lines()).toEqual([...all, learning(5)]);
    expect((await stat(output)).mode & 0o777).toBe(0o640);
    expect((await readdir(dirname(output))).toSorted()).toEqual([
      "learnings.ndjson",
      "learnings.ndjson.lock",
      "learnings.ndjson.state.json",
      "link.ndjson",
    ]);
  });

  const tooOld = {
    status: 400,
    code: "INVALID_CURSOR",
    message: "cursor: is older than 400 days. Start again without a cursor.",
  };

  test("--resume begins a new walk if the service requires one, says so, and replaces the file at its end", async () => {
    await exportLearnings();
    await appendFile(output, "");
    api.trouble = ({ url, page }) =>
      url.searchParams.get("cursor") === "resume" || page === 2 ? tooOld : undefined;
    const before = await content();
    const failed = await exportLearnings("--resume");
    expect([failed.code, await content()]).toEqual([1, before]);
    api.trouble = ({ url }) => (url.searchParams.get("cursor") === "page-0" ? tooOld : undefined);
    api.queries.splice(0);
    expect((await exportLearnings("--resume")).code).toBe(0);
    expect(api.queries[0]?.get("cursor")).toBe("page-2");
    api.trouble = ({ url }) => (url.searchParams.get("cursor") === "resume" ? tooOld : undefined);
    const { code, stderr } = await exportLearnings("--resume");
    expect([code, stderr.split("\n")[0]]).toEqual([
      0,
      `${tooOld.message} Everything is read again; ${output} is replaced when it is complete.`,
    ]);
    expect(await lines()).toEqual(all);
  });

  test("--resume refuses a cursor that is damaged or of other filters, and says what to do", async () => {
    await exportLearnings();
    api.trouble = () => ({ status: 400, code: "INVALID_CURSOR", message: "cursor: is damaged." });
    const { code, stderr } = await exportLearnings("--resume");
    expect([code, stderr]).toEqual([
      1,
      `The stored cursor of ${output} no longer works for this key and these filters: cursor: is damaged. --overwrite starts again.`,
    ]);
  });

  const ofOrganization = (id: string, kind = "organization", user_id = "u1"): StandIn["key"] => {
    const organization = { id, name: "o", provider: "gitlab", provider_organization_id: "1" };
    const scope = { tenant: "organization", tenant_id: "1", home: null, organizations: [organization] };
    return { kind, scope, user_id };
  };

  test.each([
    ["another workspace's", keyOf("acme"), keyOf("other"), "workspace acme", "workspace other"],
    [
      "an organization's of the same number",
      ofOrganization("uuid-1"),
      ofOrganization("uuid-2"),
      "organization gitlab:1 (uuid-1)",
      "organization gitlab:1 (uuid-2)",
    ],
    [
      "another member's",
      ofOrganization("uuid-1", "user", "ann"),
      ofOrganization("uuid-1", "user", "bob"),
      "user ann of organization gitlab:1 (uuid-1)",
      "user bob of organization gitlab:1 (uuid-1)",
    ],
  ])("--resume with a key that reads other data, %s, is refused and leaves the file", async (_, ...rest) => {
    const [first, second, known, given] = rest;
    api.key = first;
    await exportLearnings();
    const before = await content();
    api.key = second;
    api.trouble = () => ({
      status: 400,
      code: "INVALID_CURSOR",
      message: "cursor: was made with a key of another one. Start again without a cursor.",
    });
    const { code, stderr } = await exportLearnings("--resume");
    expect([code, stderr, await content()]).toEqual([
      1,
      `${output} was exported with a key of ${known}, and this key is of ${given}. Use a key of ${known}, or another file; --overwrite starts again with this key.`,
      before,
    ]);
    api.trouble = () => undefined;
    expect((await exportLearnings("--overwrite")).code).toBe(0);
    expect((await exportLearnings("--resume")).code).toBe(0);
  });

  test("--resume with an instance key of other organizations is refused too: only the service knows its list", async () => {
    await exportLearnings();
    const message =
      "cursor: was made with a key that is authorized for other organizations. Start again without a cursor.";
    api.trouble = () => ({ status: 400, code: "INVALID_CURSOR", message });
    const { code, stderr } = await exportLearnings("--resume");
    expect([code, stderr, await lines()]).toEqual([
      1,
      `The stored cursor of ${output} no longer works for this key and these filters: ${message} --overwrite starts again.`,
      all,
    ]);
  });

  test("--resume refuses a file that another program has changed, even by one letter", async () => {
    await exportLearnings();
    const whole = await content();
    const refused = `${output} was changed after the last export; put the exported file back, or --overwrite starts again.`;
    await truncate(output, 3);
    expect((await exportLearnings("--resume")).stderr).toBe(refused);
    await writeFile(output, whole.replace("Text 1", "text 1"));
    api.later = [learning(5)];
    expect((await exportLearnings("--resume")).stderr).toBe(refused);
    await writeFile(output, whole);
    expect((await exportLearnings("--resume")).code).toBe(0);
    expect(await lines()).toEqual([...all, learning(5)]);
  });

  test("the second of two concurrent runs is refused", async () => {
    const lock = tryLock(`${output}.lock`);
    expect((await exportLearnings()).stderr).toBe(
      `Another export is writing ${output}; wait until it has ended.`,
    );
    lock?.release();
    expect((await exportLearnings()).code).toBe(0);
  });

  test("no file is overwritten without --overwrite", async () => {
    await exportLearnings();
    expect((await exportLearnings()).stderr).toBe(
      `${output} is complete already; --resume brings it up to date, --overwrite starts again.`,
    );
    await rm(`${output}.state.json`);
    const foreign = `${output} exists and was not made by an export; --overwrite starts again.`;
    expect((await exportLearnings("--resume")).stderr).toBe(foreign);
    await writeFile(`${output}.state.json`, "{}");
    expect((await exportLearnings("--resume")).stderr).toBe(
      `${output}.state.json is not a state file of this tool; --overwrite starts again.`,
    );
    expect(await lines()).toEqual(all);
  });
});
