/**
 * Keys with a prefix that the vendor publishes, by their form: `form Vendor: prefix prefix, Vendor: prefix | form
 * …`. The name of a kind is "Vendor key".
 * The form is an alphabet and the minimum number of characters after the prefix: `a36`. h hex · u capitals and digits
 * · a letters and digits · s like a, and `_` · w like s, and `-` · b base64 · d like w, and `=` and dots. A prefix
 * that no word has needs fewer characters than the vendor gives.
 * Further conditions follow the number: = exactly this number · ~ the whole key looks random · U the key ends in a UUID
 */
export const keyTable = `
a12~ Alibaba access: LTAI
a14 Razorpay: rzp_live_ rzp_test_, Omise: skey_test_ skey_live_ skey_
a14 Stripe: sk_live_ sk_test_ rk_live_ rk_test_ rk_prod_ sk_org_live_
a20 Trigger.dev: tr_dev_ tr_prod_ tr_stg_ tr_pat_, Dub: dub_, Render: rnd_
a20~ Flagsmith: ser., Fireworks: fw_ fpk_, AWS AppSync: da2-, ServerChan: SCT | a24=~ CoinGecko: CG-
a29=~ WhoisXML: at_
a30 Cal.com: cal_live_, Linear: lin_api_ lin_oauth_ lin_wh_, AI provider: sk-, Datadog app: ddapp_ ddpat_
a30 Chapa: CHASECK- CHASECK_TEST-, Groq: gsk_
a30 Perplexity: pplx-, Cerebras: csk-, RunPod: rpa_, Salad: salad_cloud_user_
a30 Honeycomb: hcaik_ hcbik_ hcxik_ hcalk_ hcblk_ hcamk_, PostHog: phx_ phs_
a30 ReadMe: rdme_, xAI: xai-, JFrog: AKCp cmVmdGtuOj | a32=~ Blockfrost: mainnet preprod preview testnet ipfs
a43 NuGet: oy2 | a50 EasyPost: EZAK EZTK | a58= Nostr: nsec1 | b27=~ Backblaze: K000 K001 K002 K003 K004 K005
b40 Amazon Bedrock: ABSK bedrock-api-key-, Elastic Cloud: essu_, Grafana API: eyJrIjoi
d30 StackHawk: hawk., Voiceflow: VF.DM., SendGrid: SG.
d40~ Google AI: AQ.Ab
h20 RubyGems: rubygems_, Appwrite: standard_, OpenRouter: sk-or-v1-, Rootly: rootly_, Bannerbear: bb_pr_ bb_ma_
h20 Keap: KeapAK- KeapPAK-
h30 Inngest: signkey-prod- signkey-test- signkey-branch-, WooCommerce: ck_ cs_, Mailgun: key-, Firecrawl: fc-
h30 E2B: e2b_, Daytona: dtn_, AfterShip: asat_
h32= Twilio: SK, Checkly: cu_, LocationIQ: pk., SMTP2GO: api- | h34 Klaviyo: pk_ | h35= Lob: live_ test_
h48 ElevenLabs: sk_ | h64 Porkbun: sk1_ pk1_
h64= Cursor: key_ | h128 Runway: key_ | u16= AWS access: AKIA ASIA ABIA ACCA A3TX, DigitalOcean Spaces: DO00
u17 Scaleway access: SCW, Google HMAC: GOOG
u25 Octopus Deploy: API-, Twelve Labs: tlk_ | u58 age: AGE-SECRET-KEY-1 AGE-PLUGIN-
w16 Endor Labs: endr+, New Relic: NRAK- NRII- NRJS- NRRA- NRAA- NRIQ-
w20 Supabase: sbp_ sb_secret_, Tailscale: tskey-, Unkey: unkey_, Checkout.com: sk_sbx_ sk_sbox_
w20 Flutterwave: FLWSECK- FLWSECK_TEST-, Cartesia: sk_car_
w20 Service API: rk_organization_ rk_user_ rk_workspace_ rk_instance_ rk_legacy_ rk_agentic_
w20 Midtrans: Mid-server- SB-Mid-server-, Helicone: sk-helicone-
w20 n8n: n8n_api_, Brevo: xkeysib- xsmtpsib-, Postman: PMAK-, Postman collection: PMAT-
w20 Browserbase: bb_live_ bb_test_
w20 Zuplo: zpka_, DevCycle: dvc_server_ dvc_mobile_ dvc_client_, Persona: persona_production_ persona_sandbox_
w20 Paddle: pdl_live_apikey_ pdl_sdbx_apikey_
w20~ Anthropic: sk-ant-, OpenAI: sk-proj- sk-svcacct- sk-admin- sk-None-, Tavily: tvly-
w20~ Yandex access: YCA YCM YCN YCO YCP | w22=~ Mandrill: md-
w28~ Brave Search: BSA
w30 Google API: AIza, Yandex API: AQVN, Heroku API: HRKU-, Neon: napi_, dbt: dbtc_ dbtu_, Langfuse: sk-lf-
w30 LangSmith: lsv2_pt_ lsv2_sk_ ls__
w30 Together: tgp_v1_, Pinecone: pcsk_, NVIDIA: nvapi-, Weights and Biases: wandb_v1_, Defined Networking: dnkey-
w36U LaunchDarkly: sdk- api-, WakaTime: waka_, Riot: RGAPI-, Personio: papi- | w160 Cloudflare origin: v1.0-
`;

/** The same table for tokens: the kind of `Cursor` is "Cursor token" here, "Cursor key" above. */
export const tokenTable = `
a10 Chromatic: chpt_ | a16 SettleMint: sm_aat_ sm_pat_ sm_sat_ | a20 Lichess: lip_, Val Town: vtwn_
a22=~ Modal: as- ak- | a24=~ Vault legacy: s.
a29= ntfy: tk_ | a36 npm: npm_, Netlify: nfp_ nfo_ nfc_ nfu_, Replicate: r8_, Apify: apify_api_
a30 Pangea: pts_, Notion: secret_ ntn_, Twitch: oauth:, Hugging Face: hf_ api_org_, Trello: ATTA, Clojars: CLOJARS_
a80~ Facebook: EAA
a90 Bitcoin: xprv yprv zprv tprv
b30 Fly.io: fm2_ fm1r_ fm1a_ fo1_, Sentry: sntrys_ sntryu_ sntrya_, Grafana: glsa_ glc_
b30 AWS session: IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz, Aiven: aivenv1
b40~ Twitter: AAAAAAAAAAAAAAAAAAAA
d16 GitLab: glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- gloas- glwt- GR1348941
d20 Google OAuth: ya29., Bitbucket: ATBB ATCTT3, Atlassian: ATATT3 ATSTT3, Snyk: snyk_uat. snyk_sat.
d20 PlanetScale: pscale_tkn_ pscale_pw_ pscale_oauth_
d30 Doppler: dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit., Mapbox: sk.eyJ tk.eyJ
d30 Onfido: api_live. api_sandbox. api_live_us. api_live_ca.
d60~ Infisical: st., Harness: pat. sat. | d40 JetBrains: perm:
d60 Dynatrace: dt0c01. dt0s01. dt0s02. dt0s03. dt0s16. dt0s08. | d100 Dropbox: sl.
h20 DigitalOcean: dop_v1_ doo_v1_ dor_v1_, Pulumi: pul-, Depot: depot_org_ depot_project_ depot_user_
h20 Shopify partner: prtapi_, Cursor: crsr_
h20 Shopify: shpat_ shpss_ shpca_ shppa_ shpua_ shptka_ shpit_, Shippo: shippo_live_ shippo_test_, MailerSend: mlsn.
h20 SonarQube: sqp_ sqa_ squ_
h32 FireHydrant: fhb- | h64 Percy: web_ ss_ app_
s30 GitHub: ghp_ gho_ ghu_ ghs_ ghr_ github_pat_, Sourcegraph: sgp_, Pinterest: pina_ pinr_
s30 Mercury: secret-token:mercury_production_ secret-token:mercury_sandbox_ mercury_production_ mercury_sandbox_
u26 UpCloud: ucat_
w20 Vercel: vercel_blob_rw_ vcp_ vci_ vca_ vcr_ vck_, Vault: hvs. hvb. hvr., Docker: dckr_pat_ dckr_oat_
w20 Retool: retool_, CircleCI: CCIPAT_ CCIPRJ_
w20 Slack: xoxb- xoxp- xoxa- xoxe- xoxr- xoxs- xoxo- xoxc- xapp- xwfp- xoxe.xoxb- xoxe.xoxp-
w20 Square: sq0atp- sq0csp- sq0idp-, Google refresh: 1//0
w20 Buildkite: bkua_ bkae_ bkat_ bkct_ bkpt_ bkaj_, PyPI: pypi-, Open VSX: ovsxp_ ovsxat_, Contentful: CFPAT-
w20 Figma: figd_ figu_ figo_ figur_ figor_ figdr_
w20 Gitpod: gitpod_pat_, JSR: jsrp_ jsrt_, Amp: sgamp_, Matrix: syt_, Mercado Pago: APP_USR-
w20 HubSpot: pat-na1- pat-na2- pat-eu1- pat-ap1-
w30 Cloudflare: cfut_ cfat_ cfk_, Databricks: dapi dose dkea, OpenShift: sha256~, Docker Swarm: SWMTKN-1-
w30 Typeform: tfp_
w36 Amazon MWS: amzn.mws., Plaid: access-sandbox- access-development- access-production- | w36U Axiom: xaat- xapt-
w40~ GoCardless: sandbox_
w50 1Password service: ops_ey | w56~ Square access: EAAA
`;

/** The same table for secrets and other credentials: each entry has the full name of its kind. */
export const otherTable = `
a12 Neon password: npg_ | a20 Anyscale secret: esecret_ aph0_ | a40 OpenAI session: sess-
b20 Slack cookie: xoxd-, Webhook secret: whsec_ whs_
b60 Docker config: eyJhdXRocyI6 | d22 LinkedIn secret: WPL_AP0. WPL_AP1.
h32 hCaptcha secret: ES_, Amazon OAuth secret: amzn1.oa2-cs.v1., Intra42 secret: s-s4t2ud- s-s4t2af-
h64 Sourcegraph licence: slk_
u54=~ Stellar seed: SA SB SC SD | w16 Aiven password: AVNS_
w20 Google OAuth secret: GOCSPX-, MongoDB Atlas secret: mdb_sa_sk_, Cashfree secret: cfsk_ma_prod_ cfsk_ma_test_
w20=~ Plex claim: claim-
w32 Adobe secret: p8e-
`;
