import { describe, expect, test } from "vitest";
import { useApi } from "../support/api.ts";

const api = useApi();

describe("what is no operation", () => {
  test.each([
    "/",
    "/v1",
    "/v1/",
    "/v1/organisations",
    "/v1/organizations/",
    "/v1/organizations/x/repositories/y",
    "/v2/whoami",
    "/v1/whoami/x",
  ])("%s is a 404 in our shape, before any key is asked for", async (target) => {
    const answer = await api.call(target);
    expect([answer.status, answer.codes]).toEqual([404, ["NOT_FOUND"]]);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])(
    "%s on a GET path is a 405 that names what is allowed",
    async (method) => {
      const answer = await api.call("/v1/whoami", { method });
      expect([answer.status, answer.codes, answer.headers.allow]).toEqual([
        405,
        ["METHOD_NOT_ALLOWED"],
        "GET",
      ]);
    },
  );

  test("HEAD is a 405 without a body", async () => {
    const answer = await api.call("/v1/whoami", { method: "HEAD" });
    expect([answer.status, answer.headers.allow, answer.body.length]).toEqual([405, "GET", 0]);
  });

  test("Learnings keep their own error shape", async () => {
    const answer = await api.call("/v1/learnings/x/y");
    expect(answer.json).toEqual({ errors: [{ code: "NOT_FOUND", message: expect.any(String) }] });
  });
});
