import { leftOutSentence } from "../../lib/report/left-out.ts";
import { pages, sectionTitles } from "../pages.ts";
import type { KeyIdentity, SectionName } from "../protocol.ts";
import type { SectionViews } from "../session.ts";
import { type DashboardView, pageNames } from "../view.ts";
import { isOffered } from "./header.tsx";

type Organizations = KeyIdentity["scope"]["organizations"];

/** Organizations that the figures do not count. */
export const LeftOutOrganizations = ({ organizations }: { readonly organizations: Organizations }) => {
  const sentence = leftOutSentence(organizations);
  return sentence && <p class="notice">{sentence}</p>;
};

/** One sentence for everything that a narrow key leaves out. */
export const KeyShows = ({ only }: { readonly only: KeyIdentity["key"]["only"] }) => {
  const areas = new Set(only?.map((each) => each.replace(/:.*/, "").replaceAll("_", " ")));
  return only && <p class="notice">This key shows: {[...areas].join(", ")}. The rest is left out.</p>;
};

type LeftOutPartsProps = { readonly page: DashboardView["page"]; readonly sections: SectionViews };

/** What the key may not read of this page, and of pages that are not offered: a sentence for each reason. */
export function LeftOutParts({ page, sections }: LeftOutPartsProps) {
  const reasons = Map.groupBy(hiddenSections(page, sections), ({ sentence }) => sentence);
  return (
    <>
      {[...reasons].map(([sentence, hidden]) => (
        <p key={sentence} class="left-out">
          Not shown with this key: {hidden.map(({ name }) => sectionTitles[name]).join(", ")}.{" "}
          <span class="definition">{sentence}</span>
        </p>
      ))}
    </>
  );
}

function hiddenSections(page: DashboardView["page"], sections: SectionViews) {
  const names = new Set(
    pageNames
      .filter((each) => each === page || !isOffered(each, sections))
      .flatMap((each) => pages[each].shows),
  );
  return [...names].flatMap((name: SectionName) => {
    const { state } = sections[name];
    return state.status === "left-out" && state.sentence !== "" ? [{ name, sentence: state.sentence }] : [];
  });
}
