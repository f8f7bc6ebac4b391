import { hasDigit, looksRandom } from "./appearance.ts";
import {
  after,
  alphanumeric,
  base64,
  type ContextRule,
  dotted,
  hex,
  kindNamed,
  ofLength,
  type ShapeRule,
  shape,
  type TokenRule,
  token,
  word,
} from "./rule.ts";

/** Chat, payment, mail. */
// biome-ignore format: one rule a line
export const messageAndPaymentTokens: readonly TokenRule[] = [
  token("Slack token", "xoxb-|xoxp-|xoxa-|xoxe-|xoxr-|xoxs-|xoxo-|xoxc-|xoxd-|xapp-|xoxe.xoxb-|xoxe.xoxp-", word, 20, hasDigit),
  token("Twilio key", "SK", hex, 32, ofLength(34, 34)),
  token("Stripe key", "sk_live_|sk_test_|rk_live_|rk_test_", alphanumeric, 16),
  token("Webhook secret", "whsec_", base64, 20),
  token("Braintree token", "access_token$", /[\w$]+/y, 50),
  token("Square token", "sq0atp-|sq0csp-|sq0idp-", word, 20),
  token("Square token", "EAAA", word, 56, looksRandom),
  token("Shopify token", "shpat_|shpss_|shpca_|shppa_|shpua_", hex, 32),
  token("Razorpay key", "rzp_live_|rzp_test_", alphanumeric, 14),
  token("Flutterwave key", "FLWSECK-|FLWSECK_TEST-", word, 12, hasDigit),
  token("Adyen key", "AQE", /[\w+/=-]+(?:\.[\w+/=-]+)*/y, 60, looksRandom),
  token("Plaid token", "access-sandbox-|access-development-|access-production-", word, 36),
  token("Mollie key", "live_|test_", alphanumeric, 30, looksRandom),
  token("Paddle key", "pdl_live_apikey_|pdl_sdbx_apikey_", word, 40),
  token("SendGrid key", "SG.", dotted, 50),
  token("Mailgun key", "key-", hex, 32),
  token("Brevo key", "xkeysib-|xsmtpsib-", word, 64),
  token("Resend key", "re_", word, 24, looksRandom),
  token("Klaviyo key", "pk_", hex, 34),
];

// biome-ignore format: one rule a line
export const messageAndPaymentShapes: readonly ShapeRule[] = [
  shape("Discord token", /^[MNO][\w-]+\.[\w-]{6}\.[\w-]+$/, (secret) => secret.length >= 55 && looksRandom(secret)),
  shape("Mailgun key", /^[0-9a-f]+-[0-9a-f]{8}-[0-9a-f]{8}$/, (secret) => secret.length === 50),
  shape("Mailchimp key", /^[0-9a-f]+-us\d\d?$/),
];

/** AI providers and tools. */
// biome-ignore format: one rule a line
export const artificialIntelligenceTokens: readonly TokenRule[] = [
  token("Anthropic key", "sk-ant-", word, 20, looksRandom),
  token("OpenAI key", "sk-proj-|sk-svcacct-|sk-admin-", word, 20, looksRandom),
  token("OpenAI key", "sk-", word, 40, (secret) => secret.includes("T3BlbkFJ")),
  token("OpenRouter key", "sk-or-v1-", hex, 64),
  token("Langfuse key", "sk-lf-", word, 36),
  token("AI provider key", "sk-", alphanumeric, 32, hasDigit),
  token("AI provider key", "sk_", hex, 48),
  token("Hugging Face token", "hf_|api_org_", alphanumeric, 30),
  token("Replicate token", "r8_", alphanumeric, 37),
  token("Groq key", "gsk_", alphanumeric, 40),
  token("Perplexity key", "pplx-", alphanumeric, 40),
  token("xAI key", "xai-", alphanumeric, 70),
  token("Fireworks key", "fw_", alphanumeric, 20, looksRandom),
  token("Together key", "tgp_v1_", word, 40),
  token("Firecrawl key", "fc-", hex, 32),
  token("LangSmith key", "lsv2_pt_|lsv2_sk_", word, 43),
  token("Pinecone key", "pcsk_", word, 40),
  token("Tavily key", "tvly-", word, 20, looksRandom),
  token("NVIDIA key", "nvapi-", word, 50),
  token("Cerebras key", "csk-", alphanumeric, 40),
];

/** Monitoring, collaboration, everything else with a prefix of its own. */
// biome-ignore format: one rule a line
export const otherServiceTokens: readonly TokenRule[] = [
  token("New Relic key", "NRAK-|NRII-|NRJS-|NRRA-|NRAA-", word, 19),
  token("Sentry token", "sntrys_|sntryu_", base64, 40),
  token("Grafana token", "glsa_|glc_", base64, 32),
  token("Grafana token", "eyJrIjoi", /[\w+/]+={0,2}/y, 40),
  token("Honeycomb key", "hcaik_|hcbik_|hcxik_|hcalk_|hcblk_", alphanumeric, 50),
  token("Dynatrace token", "dt0c01.|dt0s01.|dt0s02.|dt0s03.|dt0s16.", dotted, 80),
  token("PostHog key", "phx_", alphanumeric, 32),
  token("Prefect key", "pnu_|pnb_", alphanumeric, 36),
  token("Airtable token", "pat", /[A-Za-z0-9]+(?:\.[0-9a-f]+)?/y, 78),
  token("Notion token", "secret_|ntn_", alphanumeric, 40),
  token("Linear key", "lin_api_|lin_oauth_", alphanumeric, 32),
  token("Figma token", "figd_|figu_|figo_|figur_|figor_", word, 36),
  token("Asana token", "1/|2/", /[\d/]+(?::[0-9a-f]+)?/y, 45, (secret) => secret.includes(":")),
  token("HubSpot token", "pat-na1-|pat-na2-|pat-eu1-|pat-ap1-", word, 36),
  token("Salesforce token", "00D", /[A-Za-z0-9]+(?:![\w.]+)?/y, 60, (secret) => secret.includes("!")),
  token("Dropbox token", "sl.", dotted, 100),
  token("Contentful token", "CFPAT-", word, 40),
  token("Mapbox token", "sk.eyJ", dotted, 60),
  token("Facebook token", "EAA", alphanumeric, 80, looksRandom),
  token("Twitter token", "AAAAAAAAAAAAAAAAAAAA", base64, 40, looksRandom),
  token("LinkedIn secret", "WPL_AP0.|WPL_AP1.", dotted, 22),
  token("Twitch token", "oauth:", alphanumeric, 30),
  token("Typeform token", "tfp_", word, 40),
  token("Postman key", "PMAK-", word, 59),
  token("ReadMe key", "rdme_", alphanumeric, 60),
  token("Shippo token", "shippo_live_|shippo_test_", hex, 40),
  token("EasyPost key", "EZAK|EZTK", alphanumeric, 50),
  token("Intercom token", "dG9rO", base64, 50),
];

// biome-ignore format: one rule a line
export const otherServiceShapes: readonly ShapeRule[] = [
  shape("New Relic key", /^[0-9a-f]+NRAL$/, (secret) => secret.length === 40),
];

// biome-ignore format: one rule a line
export const serviceContexts: readonly ContextRule[] = [
  after("Slack webhook", "hooks.slack.com", /hooks\.slack\.com\/[a-z]+\//g, /[\w/-]+/y),
  after("Discord webhook", "/api/webhooks/", /\/api\/webhooks\/\d+\//g, word),
  after("Teams webhook", "/webhookb2/", /\/webhookb2\//g, /[\w@/-]+/y),
  after("Zapier webhook", "hooks.zapier.com", /hooks\.zapier\.com\/hooks\/catch\//g, /\d+\/\w+/y),
  { ...kindNamed("Telegram token"), keywords: [":aa"], pattern: /\d{8,10}:AA[\w-]+/g, accept: ofLength(44) },
  after("Twilio key", "twilio", /["'`]AC\w*["'`],[ \t]{0,4}["'`]/g, hex, ofLength(32, 32)),
  after("Weights and Biases key", "wandb", /wandb login /g, hex, ofLength(40, 40)),
];
