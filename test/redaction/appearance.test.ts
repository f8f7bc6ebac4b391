import { expect, it } from "vitest";
import {
  hasBothCases,
  hasDigit,
  hasLetter,
  isHex,
  isPlainCase,
  isUuid,
  looksRandom,
  looksVeryRandom,
} from "../../lib/redaction/appearance.ts";

import { isPlaceholder } from "../../lib/redaction/placeholders.ts";

const random = "aB3dE6gH9kLm2NpQ";
/** At the bounds: each of these would get another answer if a bound lay one step further. */
const cases: Array<{ look: (value: string) => boolean; yes: string[]; no: string[] }> = [
  { look: hasDigit, yes: ["82"], no: ["Oq"] },
  { look: hasLetter, yes: ["z", "A"], no: ["82"] },
  { look: hasBothCases, yes: ["Oq"], no: ["EVSBW", "z"] },
  { look: isHex, yes: ["82", "0x82", "0123456789abcdefABCDEF"], no: ["8XIzZgyd", "82x", "x82"] },
  {
    look: isUuid,
    yes: ["cBE7f8BB-6CCe-6c53-C4dE-cE216d4eDB15"],
    no: ["75bdf707-5-B5-a547-F1BE-CF7D77b717fF", "82", "d656c31C-7432-F36-e4Fd-89eD2A7bfdAc"],
  },
  {
    look: isPlainCase,
    yes: ["Password", "currentUser", "aws-cdk/CfnKey", "hcjukyour@xIv", "...YGsecret"],
    no: ["[REDACTED", "userID", "v2"],
  },
  {
    look: looksRandom,
    yes: [
      "stuvw5704tydSoSfghijklm",
      "456789nesvxmsa0ACMQB",
      "épOGefghij",
      "foakcz040Xrw",
      "BmyzuwA657",
      `${"qwE.".repeat(9)}${"rty.".repeat(40)}io`,
    ],
    no: [
      "lavxFYO7password",
      "deuun${NRY",
      "wtezc9215guFTuMtxmycurrentUserCxcmds",
      "72[PlrektK",
      "8XIzZgyd",
      "mnopqrstwx2SFZNGD3wX2XPWF",
    ],
  },
  {
    look: looksVeryRandom,
    yes: ["p6f6jJ5678", `${random.repeat(16)}${"correcthorse".repeat(20)}`],
    no: ["uv0123456efg"],
  },
  {
    look: isPlaceholder,
    yes: [
      ...["mWq", "null", "test", "$dbPassword", "$TOKEN_2", "%env(", "***J/", "here<", ":current_user"],
      `${"your-".repeat(12)}here`,
    ],
    no: [
      ...["hcjukyour@xIv", "9<zg", "%RGE@x", "EVSBW", "@x$424", "$r94", ":x23456789IR5currentUser"],
      `${"your-".repeat(12)}token`,
      `your-${random}${random}`,
    ],
  },
];

it.each(cases)("$look.name is exact at every bound", ({ look, yes, no }) => {
  expect(yes.filter((value) => !look(value))).toEqual([]);
  expect(no.filter((value) => look(value))).toEqual([]);
});
