// Made by npm run generate from lib/contract/operations.
import type { OperationName } from "../../lib/client/client.ts";
import type { KeyKind } from "../../lib/contract/access.ts";

export type RateLimit = {
  readonly bucket: string;
  readonly requestsMax: number;
  readonly windowSeconds: number;
};

export type Policy = {
  readonly limit: RateLimit;
  readonly kinds: readonly KeyKind[];
  /** A permission, or `admin`. */
  readonly needs: string | null;
  readonly needsOfKind: Readonly<Partial<Record<KeyKind, string>>>;
  /** By `name=value` of a parameter: what a request that has it needs beyond that. */
  readonly parameters: Readonly<Record<string, { kinds?: readonly KeyKind[]; needs?: string }>>;
};

export const policies: Readonly<Record<OperationName, Policy>> = {
  listReviewCommentMetrics: {"limit":{"bucket":"metrics","requestsMax":60,"windowSeconds":60},"kinds":["organization","user","workspace","instance","legacy"],"needs":null,"needsOfKind":{},"parameters":{}},
  listReviewMetrics: {"limit":{"bucket":"metrics","requestsMax":60,"windowSeconds":60},"kinds":["organization","user","workspace","instance","legacy"],"needs":null,"needsOfKind":{},"parameters":{}},
  listMcpMetrics: {"limit":{"bucket":"metrics","requestsMax":60,"windowSeconds":60},"kinds":["organization","user","workspace","instance","legacy"],"needs":null,"needsOfKind":{},"parameters":{}},
  listLearnings: {"limit":{"bucket":"learnings","requestsMax":60,"windowSeconds":60},"kinds":["organization","user","workspace","instance","legacy"],"needs":null,"needsOfKind":{"user":"learning:read"},"parameters":{"repository_name":{"kinds":["user"]},"state=pending":{"kinds":["organization","user","workspace","instance"],"needs":"admin"}}},
  createLearnings: {"limit":{"bucket":"learnings-write","requestsMax":10,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"learning:write","needsOfKind":{},"parameters":{}},
  getLearning: {"limit":{"bucket":"learnings","requestsMax":60,"windowSeconds":60},"kinds":["organization","user","workspace","instance","legacy"],"needs":null,"needsOfKind":{"user":"learning:read"},"parameters":{}},
  updateLearning: {"limit":{"bucket":"learnings-write","requestsMax":10,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"learning:write","needsOfKind":{},"parameters":{}},
  deleteLearning: {"limit":{"bucket":"learnings-write","requestsMax":10,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"learning:write","needsOfKind":{},"parameters":{}},
  decideLearning: {"limit":{"bucket":"learnings-write","requestsMax":10,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"admin","needsOfKind":{},"parameters":{}},
  listOrganizations: {"limit":{"bucket":"organizations","requestsMax":10,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"organization_management:read","needsOfKind":{},"parameters":{}},
  listRepositories: {"limit":{"bucket":"repositories","requestsMax":60,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"organization_management:read","needsOfKind":{},"parameters":{}},
  listUsers: {"limit":{"bucket":"users","requestsMax":60,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"admin","needsOfKind":{},"parameters":{}},
  assignSeats: {"limit":{"bucket":"seats","requestsMax":10,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"admin","needsOfKind":{},"parameters":{}},
  getSeatAssignment: {"limit":{"bucket":"seat-assignment","requestsMax":10,"windowSeconds":60},"kinds":["organization","user","instance"],"needs":"admin","needsOfKind":{},"parameters":{}},
  setSeatAssignment: {"limit":{"bucket":"seat-assignment","requestsMax":10,"windowSeconds":60},"kinds":["organization","user","instance"],"needs":"admin","needsOfKind":{},"parameters":{}},
  changeRoles: {"limit":{"bucket":"role-changes","requestsMax":10,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"admin","needsOfKind":{},"parameters":{}},
  listRoles: {"limit":{"bucket":"roles","requestsMax":60,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"role_management:read","needsOfKind":{},"parameters":{}},
  listPermissions: {"limit":{"bucket":"roles","requestsMax":60,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"role_management:read","needsOfKind":{},"parameters":{}},
  getRole: {"limit":{"bucket":"roles","requestsMax":60,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"role_management:read","needsOfKind":{},"parameters":{}},
  createRole: {"limit":{"bucket":"roles-write","requestsMax":10,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"admin","needsOfKind":{},"parameters":{}},
  updateRole: {"limit":{"bucket":"roles-write","requestsMax":10,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"admin","needsOfKind":{},"parameters":{}},
  deleteRole: {"limit":{"bucket":"roles-write","requestsMax":10,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"admin","needsOfKind":{},"parameters":{}},
  giveRole: {"limit":{"bucket":"role-changes","requestsMax":10,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"admin","needsOfKind":{},"parameters":{}},
  listAuditLogs: {"limit":{"bucket":"audit-logs","requestsMax":60,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"admin","needsOfKind":{},"parameters":{}},
  listSecurityFindings: {"limit":{"bucket":"security","requestsMax":60,"windowSeconds":60},"kinds":["organization","user","instance"],"needs":"security:read","needsOfKind":{},"parameters":{}},
  listKeys: {"limit":{"bucket":"keys","requestsMax":10,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"admin","needsOfKind":{},"parameters":{}},
  rotateKey: {"limit":{"bucket":"keys-write","requestsMax":10,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"admin","needsOfKind":{},"parameters":{}},
  deleteKey: {"limit":{"bucket":"keys-write","requestsMax":10,"windowSeconds":60},"kinds":["organization","user","workspace","instance"],"needs":"admin","needsOfKind":{},"parameters":{}},
  whoami: {"limit":{"bucket":"whoami","requestsMax":60,"windowSeconds":60},"kinds":["organization","user","workspace","instance","legacy","agentic"],"needs":null,"needsOfKind":{},"parameters":{}},
};
