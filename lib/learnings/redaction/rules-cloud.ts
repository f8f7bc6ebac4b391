import { hasDigit, looksRandom } from "./appearance.ts";
import {
  after,
  alphanumeric,
  base64,
  type ContextRule,
  dotted,
  hex,
  ofLength,
  type ShapeRule,
  shape,
  type TokenRule,
  token,
  upper,
  word,
} from "./rule.ts";

/** Clouds, hosting, infrastructure tools. */
// biome-ignore format: one rule a line
export const cloudTokens: readonly TokenRule[] = [
  token("AWS access key", "AKIA|ASIA|ABIA|ACCA", upper, 16, ofLength(20, 20)),
  token("AWS session token", "IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz", base64, 50),
  token("Amazon Bedrock key", "ABSK|bedrock-api-key-", base64, 90),
  token("Amazon MWS token", "amzn.mws.", word, 36),
  token("Google API key", "AIza", word, 35),
  token("Google OAuth token", "ya29.", dotted, 20),
  token("Google OAuth secret", "GOCSPX-", word, 20),
  token("Google refresh token", "1//0", word, 20),
  token("Google HMAC key", "GOOG", upper, 20, hasDigit),
  token("Firebase server key", "AAAA", /[\w-]+(?::[\w-]+)?/y, 100, (secret) => secret.includes(":APA91b")),
  token("DigitalOcean token", "dop_v1_|doo_v1_|dor_v1_", hex, 64),
  token("Alibaba access key", "LTAI", alphanumeric, 12, looksRandom),
  token("Tencent secret id", "AKID", alphanumeric, 32),
  token("Heroku API key", "HRKU-", word, 30),
  token("Fly.io token", "FlyV1 fm2_|FlyV1 fm1r_|FlyV1 fm1a_|fm2_|fm1r_|fm1a_|fo1_", /[\w+/=,-]+/y, 40),
  token("Vercel token", "vercel_blob_rw_|vcp_|vci_|vca_|vcr_|vck_", word, 24),
  token("Netlify token", "nfp_|nfo_|nfc_", alphanumeric, 36),
  token("Cloudflare token", "cfut_|cfat_|cfk_", word, 40),
  token("Cloudflare token", "v1.0-", word, 160),
  token("Render key", "rnd_", alphanumeric, 28),
  token("Supabase key", "sbp_|sb_secret_", word, 20),
  token("Neon key", "napi_", word, 40),
  token("PlanetScale token", "pscale_tkn_|pscale_pw_|pscale_oauth_", dotted, 30),
  token("Scaleway access key", "SCW", upper, 17, hasDigit),
  token("Vault token", "hvs.|hvb.|hvr.", word, 24),
  token("Doppler token", "dp.pt.|dp.st.|dp.ct.|dp.sa.|dp.scim.|dp.audit.", dotted, 40),
  token("Pulumi token", "pul-", hex, 40),
  token("1Password key", "ops_ey", word, 50),
  token("1Password key", "A3-", /[A-Z0-9-]+/y, 31),
  token("Databricks token", "dapi", /[0-9a-f]+(?:-\d)?/y, 32),
  token("OpenShift token", "sha256~", word, 40),
  token("age key", "AGE-SECRET-KEY-1", upper, 58),
  token("Tailscale key", "tskey-", word, 20, hasDigit),
  token("Docker Swarm token", "SWMTKN-1-", word, 60),
  token("Akamai token", "akab-", word, 33),
];

// biome-ignore format: one rule a line
export const cloudShapes: readonly ShapeRule[] = [
  shape("Azure client secret", /^[\w.~-]{3}\dQ~/),
  shape("Azure DevOps token", /AZDO[A-Za-z0-9]{4}$/, (secret) => secret.length === 84),
  shape("Terraform token", /^[A-Za-z0-9]+\.atlasv1\.[\w=-]+$/),
];

// biome-ignore format: one rule a line
export const cloudContexts: readonly ContextRule[] = [
  after("AWS secret key", "secret", /(?:secret_?access_?key|aws_?secret(?:_?key)?)["'\s:=>,(]{1,8}/gi, /[A-Za-z0-9+/]+/y, ofLength(40, 40)),
  after("AWS signature", "signature=", /\bsignature=/gi, hex, ofLength(64)),
  after("Azure storage key", "key", /(?:account|storage)_?key["'\s:=]{1,6}/gi, base64, (secret) => secret.length === 88 && secret.endsWith("==")),
  after("Azure shared access key", "sharedaccesskey=", /sharedaccesskey=/gi, base64),
  after("Azure SAS", "sig=", /[?&;]sig=/gi, base64, ofLength(30)),
  after("Vault unseal key", "unseal key", /unseal key(?: \d\d?)?: /gi, base64, ofLength(40)),
];
