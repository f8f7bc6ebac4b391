/**
 * Keys with a prefix that the vendor publishes, one kind per line: `Vendor: prefix prefix form`. The name of the kind is "Vendor key".  The form is an
 * alphabet and the minimum number of characters after the prefix: `a36`. h hex · u capitals and digits · a letters and digits · s like a, and `_` · w like
 * s, and `-` · b base64 d like w, and `=` and dots Further conditions follow the number: = exactly this number · # at least one digit · ~ the whole key
 * looks random · U the key ends in a UUID
 */
export const keyTable = `
AWS access: AKIA ASIA ABIA ACCA A3TX u16=
Amazon Bedrock: ABSK bedrock-api-key- b90
AWS AppSync: da2- a26~
Google API: AIza w35
Cursor: key_ h64=
Endor Labs: endr+ w16
Google HMAC: GOOG u20#
Google AI: AQ.Ab d40~
DigitalOcean Spaces: DO00 u16=
Alibaba access: LTAI a12~
Yandex access: YCA YCM YCN YCO YCP w22~
Heroku API: HRKU- w30
Cloudflare origin: v1.0- w160
Render: rnd_ a28
Supabase: sbp_ sb_secret_ w20
Neon: napi_ w40
Scaleway access: SCW u17#
age: AGE-SECRET-KEY-1 AGE-PLUGIN- u58
Tailscale: tskey- w20#
Elastic Cloud: essu_ b40
StackHawk: hawk. d30
Appwrite: standard_ h200
Zuplo: zpka_ w32
Unkey: unkey_ w20
Brave Search: BSA w28~
Defined Networking: dnkey- w79
Service API: rk_organization_ rk_user_ rk_workspace_ rk_instance_ rk_legacy_ rk_agentic_ w20
Octopus Deploy: API- u25#
LaunchDarkly: sdk- api- w36U
Flagsmith: ser. a20~
RubyGems: rubygems_ h48
NuGet: oy2 a43
Trigger.dev: tr_dev_ tr_prod_ tr_stg_ tr_pat_ a20
Inngest: signkey-prod- signkey-test- signkey-branch- h32
WakaTime: waka_ w36U
Postman: PMAK- w59
Postman collection: PMAT- a26
ReadMe: rdme_ a60
Twilio: SK h32=
DevCycle: dvc_server_ dvc_mobile_ dvc_client_ w30
Cal.com: cal_live_ a30
Yandex API: AQVN w35
Stripe: sk_live_ sk_test_ rk_live_ rk_test_ rk_prod_ sk_org_live_ a16
Checkout.com: sk_sbx_ sk_sbox_ w20#
Razorpay: rzp_live_ rzp_test_ a14
Flutterwave: FLWSECK- FLWSECK_TEST- w24#
Midtrans: Mid-server- SB-Mid-server- w20
Omise: skey_test_ skey_live_ skey_ a19
dbt: dbtc_ dbtu_ w36
Lob: live_ test_ h35=
Paddle: pdl_live_apikey_ pdl_sdbx_apikey_ w40
Persona: persona_production_ persona_sandbox_ w30
WooCommerce: ck_ cs_ h40
SendGrid: SG. d50
Mailgun: key- h32
Mandrill: md- w22=~
Backblaze: K000 K001 K002 K003 K004 K005 b27=~
Dub: dub_ a24#
Brevo: xkeysib- xsmtpsib- w64
Klaviyo: pk_ h34
Linear: lin_api_ lin_oauth_ lin_wh_ a32
Anthropic: sk-ant- w20~
OpenAI: sk-proj- sk-svcacct- sk-admin- sk-None- w20~
OpenRouter: sk-or-v1- h64
Langfuse: sk-lf- w36
Helicone: sk-helicone- w24
AI provider: sk- a32#
ElevenLabs: sk_ h48
Groq: gsk_ a40
Perplexity: pplx- a40
xAI: xai- a70
Fireworks: fw_ fpk_ a20~
Together: tgp_v1_ w40
Firecrawl: fc- h32
LangSmith: lsv2_pt_ lsv2_sk_ ls__ w32
Pinecone: pcsk_ w40
Tavily: tvly- w20~
NVIDIA: nvapi- w50
Cerebras: csk- a40
E2B: e2b_ h40
Browserbase: bb_live_ bb_test_ w25
RunPod: rpa_ a40
Runway: key_ h128
Cartesia: sk_car_ w20
Weights and Biases: wandb_v1_ w60
Voiceflow: VF.DM. d30
Salad: salad_cloud_user_ a50
New Relic: NRAK- NRII- NRJS- NRRA- NRAA- NRIQ- w19
Grafana API: eyJrIjoi b40
Honeycomb: hcaik_ hcbik_ hcxik_ hcalk_ hcblk_ hcamk_ a50
PostHog: phx_ phs_ a32
Rootly: rootly_ h60
Riot: RGAPI- w36U
n8n: n8n_api_ w40
Checkly: cu_ h32=
Datadog app: ddapp_ ddpat_ a34
Daytona: dtn_ h64
Twelve Labs: tlk_ u30
Bannerbear: bb_pr_ bb_ma_ h30
Chapa: CHASECK- CHASECK_TEST- a30
Porkbun: sk1_ pk1_ h64
CoinGecko: CG- a24=~
AfterShip: asat_ h32
LocationIQ: pk. h32=
SMTP2GO: api- h32=
Keap: KeapAK- KeapPAK- h60
ServerChan: SCT a28~
WhoisXML: at_ a29=~
Blockfrost: mainnet preprod preview testnet ipfs a32=~
`;

/** The same table for tokens: the kind of `Cursor` is "Cursor token" here, "Cursor key" above. */
export const tokenTable = `
AWS session: IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz b50
Amazon MWS: amzn.mws. w36
Google OAuth: ya29. d20
Google refresh: 1//0 w20
DigitalOcean: dop_v1_ doo_v1_ dor_v1_ h64
Fly.io: fm2_ fm1r_ fm1a_ fo1_ b40
Vercel: vercel_blob_rw_ vcp_ vci_ vca_ vcr_ vck_ w24
Netlify: nfp_ nfo_ nfc_ nfu_ a36
Cloudflare: cfut_ cfat_ cfk_ w40
PlanetScale: pscale_tkn_ pscale_pw_ pscale_oauth_ d30
Vault: hvs. hvb. hvr. w24
Vault legacy: s. a24=~
Doppler: dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. d40
Pulumi: pul- h40
1Password service: ops_ey w50
Databricks: dapi dose dkea w32
OpenShift: sha256~ w40
Docker Swarm: SWMTKN-1- w60
Docker: dckr_pat_ dckr_oat_ w20
Aiven: aivenv1 b60
Infisical: st. d60~
Depot: depot_org_ depot_project_ depot_user_ h40
Shopify partner: prtapi_ h32
Retool: retool_ w20
Pangea: pts_ a30#
GitHub: ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ s36
GitLab: glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- gloas- glwt- GR1348941 d20
Bitbucket: ATBB ATCTT3 d28
Atlassian: ATATT3 ATSTT3 d50
Trello: ATTA a60
Sourcegraph: sgp_ s40
SonarQube: sqp_ sqa_ squ_ h40
CircleCI: CCIPAT_ CCIPRJ_ w20
Buildkite: bkua_ bkae_ bkat_ bkct_ bkpt_ bkaj_ w30
Harness: pat. sat. d60~
Chromatic: chpt_ a10
Snyk: snyk_uat. snyk_sat. d40
npm: npm_ a36
PyPI: pypi- w50
Clojars: CLOJARS_ a60
Open VSX: ovsxp_ ovsxat_ w30
Lichess: lip_ a20
Slack: xoxb- xoxp- xoxa- xoxe- xoxr- xoxs- xoxo- xoxc- xapp- xwfp- xoxe.xoxb- xoxe.xoxp- w20#
Square: sq0atp- sq0csp- sq0idp- w20
Square access: EAAA w56~
Shopify: shpat_ shpss_ shpca_ shppa_ shpua_ shptka_ shpit_ h32
Mercury: secret-token:mercury_production_ secret-token:mercury_sandbox_ mercury_production_ mercury_sandbox_ s30
GoCardless: sandbox_ w40~
Plaid: access-sandbox- access-development- access-production- w36
Shippo: shippo_live_ shippo_test_ h40
MailerSend: mlsn. h60
HubSpot: pat-na1- pat-na2- pat-eu1- pat-ap1- w36
Notion: secret_ ntn_ a40
Figma: figd_ figu_ figo_ figur_ figor_ figdr_ w36
Typeform: tfp_ w40
Contentful: CFPAT- w40
Mapbox: sk.eyJ tk.eyJ d60
Dropbox: sl. d100
Twitter: AAAAAAAAAAAAAAAAAAAA b40~
Facebook: EAA a80~
Twitch: oauth: a30
Pinterest: pina_ pinr_ s32
ntfy: tk_ a29=
Hugging Face: hf_ api_org_ a30
Replicate: r8_ a37
Apify: apify_api_ a36
Modal: as- ak- a22=~
Val Town: vtwn_ a20
Sentry: sntrys_ sntryu_ sntrya_ b40
Grafana: glsa_ glc_ b32
Dynatrace: dt0c01. dt0s01. dt0s02. dt0s03. dt0s16. dt0s08. d60
Axiom: xaat- xapt- w36U
SettleMint: sm_aat_ sm_pat_ sm_sat_ a16
Gitpod: gitpod_pat_ w30
JSR: jsrp_ jsrt_ w30
UpCloud: ucat_ u26
FireHydrant: fhb- h32
Amp: sgamp_ w30
Cursor: crsr_ h64
Onfido: api_live. api_sandbox. api_live_us. api_live_ca. d40
Mercado Pago: APP_USR- w50#
Matrix: syt_ w30
Percy: web_ ss_ app_ h64
`;

/** The same table for secrets and other credentials: each line has the full name of its kind. */
export const otherTable = `
Google OAuth secret: GOCSPX- w20
Docker config: eyJhdXRocyI6 b60
Aiven password: AVNS_ w16
MongoDB Atlas secret: mdb_sa_sk_ w40
Sourcegraph licence: slk_ h64
Slack cookie: xoxd- b20
Amazon OAuth secret: amzn1.oa2-cs.v1. h60
Webhook secret: whsec_ whs_ b20
LinkedIn secret: WPL_AP0. WPL_AP1. d22
OpenAI session: sess- a40
Anyscale secret: esecret_ aph0_ a24
Adobe secret: p8e- w32
Intra42 secret: s-s4t2ud- s-s4t2af- h64
Stellar seed: SA SB SC SD u54=~
hCaptcha secret: ES_ h32
Cashfree secret: cfsk_ma_prod_ cfsk_ma_test_ w32
Plex claim: claim- w20=~
Neon password: npg_ a12
`;

/** Vendors whose keys have no known form, each name as one word. After such a name, a value that looks like a hash may be a key. */
export const vendorWords: ReadonlySet<string> = new Set(
  `abuseipdb accuweather activecampaign adafruit adyen agora airtable alchemy algolia alibaba aliyun alphavantage asana
assemblyai authorizenet avalara avatax azure backblaze binance bitbucket bittrex blockfrost braintree bybit
chainstack circleci clarifai clearbit clickatell cloudflare cloudinary cloudsmith codacy codecov cohere coinapi
coinbase coinmarketcap confluent crowdin cypress datadog deepgram deepl discord drone dropbox
elevenlabs etherscan etsy facebook fastly fastspring finnhub flagsmith flickr freshbooks freshdesk giphy godaddy
greenhouse hcloud helius heroku hetzner honeycomb hubspot imagekit infobip infura ipinfo ipstack jumpcloud kaggle
klaviyo kraken kucoin linkedin linode locationiq logdna loggly logtail logzio mailchimp mailerlite mailjet mandrill
mapquest maptiler mattermost maxmind meilisearch meraki messagebird mezmo mistral moralis netlify newrelic newsapi
nexmo ngrok nytimes okta omdb onesignal opencage openweather opsgenie ovh ovhcloud pagerduty pexels pinecone
pipedrive pixabay plaid plivo posthog postmark pubnub pushbullet pusher pushover quicknode rapidapi relic rollbar
scaleway scraperapi sendbird sentry serpapi shodan shopify snyk sonar sparkpost splunk spotify sumo sumologic telnyx
tmdb tomtom travis trello twilio twitter unsplash uptimerobot urlscan vercel victorops vimeo virustotal vonage vultr
wandb weatherapi wolfram zendesk`.split(/\s/),
);
