import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Operation } from "../../lib/contract/operation.ts";
import { operations } from "../../lib/contract/operations.ts";
import { properties } from "./support.ts";
import { synthesize } from "./synthesize.ts";

const pattern = z.object({
  RegexMatchStatement: z.object({
    RegexString: z.string(),
    FieldToMatch: z.object({ UriPath: z.object({}) }),
  }),
});
const groupSchema = z.object({
  VendorName: z.literal("AWS"),
  Name: z.string(),
  Version: z.string().optional(),
  ScopeDownStatement: z
    .object({
      NotStatement: z.object({
        Statement: z.object({ OrStatement: z.object({ Statements: z.array(pattern) }) }),
      }),
    })
    .optional(),
});
const aclSchema = z.object({
  Rules: z.array(
    z.object({
      Name: z.string(),
      OverrideAction: z.unknown().optional(),
      Statement: z.object({
        ManagedRuleGroupStatement: groupSchema.optional(),
        RateBasedStatement: z.unknown().optional(),
      }),
    }),
  ),
});

/** The rules as CloudFormation gets them. */
const { Rules: rules } = aclSchema.parse(properties(synthesize({ waf: "true" }), "WebAcl"));
const groups = rules.flatMap(({ Statement }) => Statement.ManagedRuleGroupStatement ?? []);
const aboutAttacks = groups.find(({ Name }) => Name === "AWSManagedRulesKnownBadInputsRuleSet");

/** Whether the rules about attacks look at a request to this path at all. */
const isLookedAt = (uriPath: string): boolean =>
  !(aboutAttacks?.ScopeDownStatement?.NotStatement.Statement.OrStatement.Statements ?? []).some(
    ({ RegexMatchStatement }) => new RegExp(RegexMatchStatement.RegexString).test(uriPath),
  );

const contract: readonly Operation[] = operations;
const filled = ({ path }: Operation) => path.replaceAll(/\{\w+\}/g, "0a1b");
const takesText = ({ path, body, query }: Operation): boolean =>
  (path.startsWith("/v1/learnings") && body !== undefined) ||
  ["search", "file"].some((name) => Object.hasOwn(query?.shape ?? {}, name));

describe("the firewall", () => {
  test("uses two groups of AWS and a bound for each address, nothing else", () => {
    expect(rules.map(({ Name }) => Name)).toEqual([
      "AWSManagedRulesAmazonIpReputationList",
      "AWSManagedRulesKnownBadInputsRuleSet",
      "CallsPerAddress",
    ]);
  });

  test("pins the version of each group that AWS numbers: a new one could refuse what we accept", () => {
    const versions = Object.fromEntries(groups.map(({ Name, Version }) => [Name, Version]));
    expect(versions).toEqual({
      // AWS numbers all its groups but the lists of addresses.
      AWSManagedRulesAmazonIpReputationList: undefined,
      AWSManagedRulesKnownBadInputsRuleSet: expect.stringMatching(/^Version_\d+\.\d+$/),
    });
  });

  test.each(contract.filter(takesText).map((operation) => [operation.id, operation] as const))(
    "never shows a request of %s to the rules about attacks, at whatever address",
    (_, operation) => {
      for (const before of ["", "/live", "/review"])
        for (const after of ["", "/"])
          expect(isLookedAt(`${before}${filled(operation)}${after}`)).toBe(false);
    },
  );

  test("shows them everything else", () => {
    const exempt = new Set(contract.filter(takesText).map(filled));
    const others = contract.map(filled).filter((path) => !exempt.has(path));
    expect(others.length).toBeGreaterThan(10);
    for (const path of [...others, "/", "/v1/nowhere", "/docs"])
      expect([path, isLookedAt(path)]).toEqual([path, true]);
  });
});
