import {
  createLearnings,
  decideLearning,
  deleteLearning,
  getLearning,
  listLearnings,
  updateLearning,
} from "../../lib/contract/operations/learnings.ts";
import { item } from "../learnings/fixture.ts";
import { useApi } from "../support/api.ts";
import { commonSuite } from "../support/common-suite.ts";

const api = useApi();
type Setup = { cloud: { provider_organization_id: string } };
const inQuery = ({ cloud }: Setup, kind: string) =>
  kind === "workspace" ? `?org_id=${cloud.provider_organization_id}` : "";
const inBody = ({ cloud }: Setup, kind: string) =>
  kind === "workspace" ? { org_id: cloud.provider_organization_id } : {};
const missing = "00000000-0000-4000-8000-000000000000";

commonSuite(api, { operation: listLearnings, request: () => ({ target: "/v1/learnings" }) });
commonSuite(api, {
  operation: createLearnings,
  request: (setup, kind) => ({
    target: "/v1/learnings",
    body: { data: [item("in no repository")], ...inBody(setup, kind) },
  }),
});
commonSuite(api, {
  operation: updateLearning,
  good: [404],
  request: (setup, kind) => ({
    target: `/v1/learnings/${missing}`,
    body: { learning: "x", ...inBody(setup, kind) },
  }),
});
commonSuite(api, {
  operation: getLearning,
  good: [404],
  request: (setup, kind) => ({ target: `/v1/learnings/${missing}${inQuery(setup, kind)}` }),
});
commonSuite(api, {
  operation: decideLearning,
  good: [404],
  request: (setup, kind) => ({
    target: `/v1/learnings/${missing}/approval`,
    body: { decision: "approve", ...inBody(setup, kind) },
  }),
});
commonSuite(api, {
  operation: deleteLearning,
  request: (setup, kind) => ({ target: `/v1/learnings/${missing}${inQuery(setup, kind)}` }),
});
