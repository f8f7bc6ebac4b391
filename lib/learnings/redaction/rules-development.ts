import { hasDigit, isUuid, looksRandom } from "./appearance.ts";
import {
  type Accept,
  after,
  alphanumeric,
  base64,
  type ContextRule,
  dotted,
  hex,
  ofLength,
  type TokenRule,
  token,
  upper,
  word,
} from "./rule.ts";

const endsInUuid: Accept = (secret) => isUuid(secret.slice(-36));

/** This service's own keys, Git hosts, CI, package registries. */
// biome-ignore format: one rule a line
export const developmentTokens: readonly TokenRule[] = [
  token("Service API key", "rk_organization_|rk_user_|rk_workspace_|rk_instance_|rk_legacy_|rk_agentic_", word, 20),
  token("Service API key", "cr-", hex, 40),
  token("GitHub token", "ghp_|gho_|ghu_|ghs_|ghr_|github_pat_", /\w+/y, 36),
  token("GitLab token", "glpat-|gldt-|glrt-|glcbt-|glptt-|glft-|glimt-|glagent-|glsoat-|glffct-|GR1348941", dotted, 20),
  token("Bitbucket token", "ATBB|ATCTT3", dotted, 28),
  token("Atlassian token", "ATATT3", dotted, 50),
  token("Trello token", "ATTA", alphanumeric, 60),
  token("Sourcegraph token", "sgp_", /\w+/y, 40),
  token("SonarQube token", "sqp_|sqa_|squ_", hex, 40),
  token("CircleCI token", "CCIPAT_|CCIPRJ_", word, 20),
  token("Buildkite token", "bkua_|bkae_|bkat_|bkct_|bkpt_", word, 30),
  token("Harness token", "pat.|sat.", dotted, 60, looksRandom),
  token("Octopus Deploy key", "API-", upper, 25, hasDigit),
  token("Chromatic token", "chpt_", alphanumeric, 10),
  token("LaunchDarkly key", "sdk-|api-", word, 36, endsInUuid),
  token("npm token", "npm_", alphanumeric, 36),
  token("PyPI token", "pypi-", word, 50),
  token("RubyGems key", "rubygems_", hex, 48),
  token("crates.io token", "cio", alphanumeric, 32, (secret) => secret.length === 35 && looksRandom(secret)),
  token("NuGet key", "oy2", alphanumeric, 43),
  token("Docker token", "dckr_pat_|dckr_oat_", word, 20),
  token("JFrog key", "AKCp|cmVmdGtu", alphanumeric, 50),
  token("Packagist token", "packagist_ort_|packagist_out_|packagist_oat_", word, 40),
  token("Clojars token", "CLOJARS_", hex, 60),
];

// biome-ignore format: one rule a line
export const developmentContexts: readonly ContextRule[] = [
  { ...after("Codecov token", "codecov", /[ \t]-t[ \t]/g, word, (secret) => isUuid(secret)), behind: /codecov/gi },
  after("npmrc credential", "_auth|:_password", /(?::_authToken|:_password|\b_auth)[ \t]{0,4}=[ \t]{0,4}"?/g, base64, ofLength(8)),
  after("Docker credential", '"auth"', /"auth"[ \t]{0,4}:[ \t]{0,4}"/g, base64, ofLength(16)),
];
