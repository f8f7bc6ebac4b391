import { expect, test } from "vitest";
import * as z from "zod";
import {
  choicesParameter,
  emailAddress,
  listParameter,
  roleIdParameter,
  visibleText,
} from "../../lib/contract/parameters.ts";
import { jsonSchema } from "../../lib/openapi/properties.ts";

const uuid = "0F5E8B52-6C1D-4A37-9B1E-2D3C4B5A6978";
const texts = [
  ...[
    "",
    " ",
    "\u00a0",
    "a",
    " a ",
    "a b",
    "a.b",
    "axb",
    "a,",
    ",a",
    "a,,c",
    "a, ,c",
    " a.b ,c",
    "a,c",
    "c,c,c",
  ],
  ...[
    "c,c,c,c",
    "a.b,x",
    "a.bc",
    "cr_admin",
    "cr_admin ",
    "CR_ADMIN",
    "cr_owner",
    uuid,
    uuid.toLowerCase(),
    `${uuid}0`,
  ],
];

test.each([
  ["a list", listParameter(3)],
  ["a closed list", choicesParameter(["a.b", "c"], 3)],
  ["the id of a role", roleIdParameter],
  ["a name", visibleText(1, 100)],
  ["an e-mail address", emailAddress],
])("the document's form of %s takes exactly what the service takes", (_, schema) => {
  const { pattern } = z.object({ pattern: z.string() }).parse(jsonSchema(schema, "input"));
  const taken = (takes: (text: string) => boolean) => texts.filter(takes);
  expect(taken((text) => new RegExp(pattern, "u").test(text))).toEqual(
    taken((text) => schema.safeParse(text).success),
  );
});
