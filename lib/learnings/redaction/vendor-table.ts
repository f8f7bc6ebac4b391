/**
 * Tokens that vendors publish a prefix for, one kind a line: `Name: prefix prefix form`.
 *
 * The form is an alphabet and the fewest characters behind the prefix: `a36`.
 *   h hex · u capitals and digits · a letters and digits · s those and `_` · w those and `-` · b base64 · d with dots
 * and what else must hold:
 *   = exactly so many · # at least one digit · ~ the whole looks random · U it ends in a UUID
 */
export const prefixTable = `
AWS access key: AKIA ASIA ABIA ACCA A3TX u16=
AWS session token: IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz b50
Amazon Bedrock key: ABSK bedrock-api-key- b90
Amazon MWS token: amzn.mws. w36
AWS AppSync key: da2- a26~
Google API key: AIza w35
Cursor key: key_ h64=
Ubidots token: BBFF- a30=
Endor Labs key: endr+ w16
Context7 key: ctx7sk- w30
Google OAuth token: ya29. d20
Google OAuth secret: GOCSPX- w20
Google refresh token: 1//0 w20
Google HMAC key: GOOG u20#
Google AI key: AQ.Ab d40~
DigitalOcean token: dop_v1_ doo_v1_ dor_v1_ h64
DigitalOcean Spaces key: DO00 u16=
Alibaba access key: LTAI a12~
Tencent secret id: AKID a32
Volcengine access key: AKLT b40~
Yandex API key: AQVN w35
Yandex access key: YCA YCM YCN YCO YCP w22~
Yandex IAM token: t1. d80~
Yandex OAuth token: y0_ w50
Heroku API key: HRKU- w30
Fly.io token: fm2_ fm1r_ fm1a_ fo1_ b40
Vercel token: vercel_blob_rw_ vcp_ vci_ vca_ vcr_ vck_ w24
Netlify token: nfp_ nfo_ nfc_ nfu_ a36
Cloudflare token: cfut_ cfat_ cfk_ w40
Cloudflare origin key: v1.0- w160
Render key: rnd_ a28
Supabase key: sbp_ sb_secret_ w20
Neon key: napi_ w40
PlanetScale token: pscale_tkn_ pscale_pw_ pscale_oauth_ d30
Scaleway access key: SCW u17#
Scalingo token: tk-us- tk-eu- w40
Vault token: hvs. hvb. hvr. w24
Vault legacy token: s. a24=~
Doppler token: dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. d40
Pulumi token: pul- h40
1Password service token: ops_ey w50
Databricks token: dapi dose dkea h32
OpenShift token: sha256~ w40
age key: AGE-SECRET-KEY-1 AGE-PLUGIN- u58
Tailscale key: tskey- w20#
Docker Swarm token: SWMTKN-1- w60
Docker Swarm unlock key: SWMKEY-1- b40
Docker config: eyJhdXRocyI6 b60
Docker token: dckr_pat_ dckr_oat_ w20
Akamai token: akab- w33
Aiven password: AVNS_ w16
Aiven token: aivenv1 b60
CockroachDB key: CCDB1_ w40
ClickHouse key: 4b1d a38=~
MongoDB Atlas secret: mdb_sa_sk_ w40
Elastic Cloud key: essu_ b40
Infisical token: st. d60~
StackHawk key: hawk. d30
Deno Deploy token: ddp_ ddo_ ddw_ a36
Depot token: depot_org_ depot_project_ depot_user_ h40
dbt token: dbtu_ dbtc_ w40
Shopify partner token: prtapi_ h32
Chief Tools token: ctp_ a32
LocalStack key: ls- w36~
Xata key: xau_ w30
Adafruit IO key: aio_ a28
Pterodactyl key: ptla_ ptlc_ a40
Appwrite key: standard_ h200
Retool token: retool_ w20
Zuplo key: zpka_ w32
Unkey key: unkey_ w20
Pangea token: pts_ a30#
Discord MFA token: mfa. w80
Brave Search key: BSA w28~
Portainer token: ptr_ b40
Defined Networking key: dnkey- w79
Nightfall key: NF- a32~
Service API key: rk_organization_ rk_user_ rk_workspace_ rk_instance_ rk_legacy_ rk_agentic_ w20
GitHub token: ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ s36
GitLab token: glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- gloas- glwt- GR1348941 d20
Bitbucket token: ATBB ATCTT3 d28
Atlassian token: ATATT3 ATSTT3 d50
Trello token: ATTA a60
Sourcegraph token: sgp_ s40
Sourcegraph licence: slk_ h64
SonarQube token: sqp_ sqa_ squ_ h40
CircleCI token: CCIPAT_ CCIPRJ_ w20
Buildkite token: bkua_ bkae_ bkat_ bkct_ bkpt_ bkaj_ w30
Harness token: pat. sat. d60~
Octopus Deploy key: API- u25#
Chromatic token: chpt_ a10
Snyk token: snyk_uat. snyk_sat. d40
Socket token: sktsec_ w40
LaunchDarkly key: sdk- api- w36U
DevCycle key: dvc_server_ dvc_mobile_ dvc_client_ w30
Flagsmith key: ser. a20~
GrowthBook key: secret_admin_ secret_user_ secret_readonly_ a20
Statsig key: secret- console- a40~
ConfigCat key: configcat-sdk-1/ b40
npm token: npm_ a36
PyPI token: pypi- w50
RubyGems key: rubygems_ h48
NuGet key: oy2 a43
JFrog key: AKCp cmVmdGtu a50
Packagist token: packagist_ort_ packagist_out_ packagist_oat_ packagist_uut_ w40
Clojars token: CLOJARS_ h60
Open VSX token: ovsxp_ ovsxat_ w30
Mergify key: mka_ w40
Infracost key: ico- a32
Trigger.dev key: tr_dev_ tr_prod_ tr_stg_ tr_pat_ a20
Inngest key: signkey-prod- signkey-test- signkey-branch- h32
Prefect key: pnu_ pnb_ a36
Thunderstore token: tss_ a36
Lichess token: lip_ a20
WakaTime key: waka_ w36U
Postman key: PMAK- w59
Postman collection key: PMAT- a26
ReadMe key: rdme_ a60
GitBook token: gb_api_ a40
Slack token: xoxb- xoxp- xoxa- xoxe- xoxr- xoxs- xoxo- xoxc- xapp- xwfp- xoxe.xoxb- xoxe.xoxp- w20#
Slack cookie: xoxd- b20
Twilio key: SK h32=
Stripe key: sk_live_ sk_test_ rk_live_ rk_test_ rk_prod_ sk_org_live_ a16
Checkout.com key: sk_sbx_ sk_sbox_ w20#
Amazon OAuth secret: amzn1.oa2-cs.v1. h60
Webhook secret: whsec_ whs_ b20
Square token: sq0atp- sq0csp- sq0idp- w20
Square access token: EAAA w56~
Shopify token: shpat_ shpss_ shpca_ shppa_ shpua_ shptka_ shpit_ h32
Razorpay key: rzp_live_ rzp_test_ a14
Flutterwave key: FLWSECK- FLWSECK_TEST- w24#
Midtrans key: Mid-server- SB-Mid-server- w20
Xendit key: xnd_production_ xnd_development_ a40
Omise key: skey_test_ skey_live_ skey_ a19
Asaas key: aact_prod_ aact_hmlg_ aact_ w40
Brex token: bxt_ a40
Ramp token: ramp_sec_ ramp_tok_ ramp_id_ a30
Mercury token: secret-token:mercury_production_ secret-token:mercury_sandbox_ mercury_production_ mercury_sandbox_ s30
GoCardless token: sandbox_ w40~
Mollie key: live_ test_ a30~
Paddle key: pdl_live_apikey_ pdl_sdbx_apikey_ w40
Paddle webhook secret: pdl_ntfset_ w40
Polar token: polar_oat_ polar_pat_ polar_whs_ a32
Plaid token: access-sandbox- access-development- access-production- w36
Persona key: persona_production_ persona_sandbox_ w30
Stytch secret: secret-test- secret-live- w36
Duffel token: duffel_test_ duffel_live_ w40
Shippo token: shippo_live_ shippo_test_ h40
Flexport token: shltm_ w40
EasyPost key: EZAK EZTK a50
Samsara token: samsara_api_ a25
WooCommerce key: ck_ cs_ h40
SendGrid key: SG. d50
Mailgun key: key- h32
Mandrill key: md- w22=~
Confluent secret: cflt b56~
Telnyx key: KEY0 s50#
Backblaze key: K000 K001 K002 K003 K004 K005 b27=~
Fauna key: fnAE fnAD fnAF w36
Dub key: dub_ a24#
Canva secret: cnvca w40
Brevo key: xkeysib- xsmtpsib- w64
Resend key: re_ w24~
Klaviyo key: pk_ h34
MailerSend token: mlsn. h60
Nylas key: nyk_v0_ nylas_ a30
OneSignal key: os_v2_app_ os_v2_org_ a60
PubNub secret: sec-c- w40
Intercom token: dG9rO b50
HubSpot token: pat-na1- pat-na2- pat-eu1- pat-ap1- w36
Close key: api_ d44~
Notion token: secret_ ntn_ a40
Linear key: lin_api_ lin_oauth_ lin_wh_ a32
Figma token: figd_ figu_ figo_ figur_ figor_ figdr_ w36
Frame.io token: fio-u- w64
Typeform token: tfp_ w40
Formbricks key: fbk_ a32
Cal.com key: cal_live_ a30
Outline key: ol_api_ a38
Taskade token: tskdp_ a40
Contentful token: CFPAT- w40
Wix key: IST. d100
Mapbox token: sk.eyJ tk.eyJ d60
Dropbox token: sl. d100
LinkedIn secret: WPL_AP0. WPL_AP1. d22
Twitter token: AAAAAAAAAAAAAAAAAAAA b40~
Facebook token: EAA a80~
Twitch token: oauth: a30
Pinterest token: pina_ pinr_ s32
ntfy token: tk_ a29=
Anthropic key: sk-ant- w20~
OpenAI key: sk-proj- sk-svcacct- sk-admin- sk-None- w20~
OpenAI session: sess- a40
OpenRouter key: sk-or-v1- h64
Langfuse key: sk-lf- w36
Helicone key: sk-helicone- w24
AI provider key: sk- a32#
ElevenLabs key: sk_ h48
Hugging Face token: hf_ api_org_ a30
Replicate token: r8_ a37
Groq key: gsk_ a40
Perplexity key: pplx- a40
xAI key: xai- a70
Fireworks key: fw_ fpk_ a20~
Together key: tgp_v1_ w40
Firecrawl key: fc- h32
LangSmith key: lsv2_pt_ lsv2_sk_ ls__ w32
LlamaCloud key: llx- a40
Pinecone key: pcsk_ w40
Tavily key: tvly- w20~
NVIDIA key: nvapi- w50
Cerebras key: csk- a40
Voyage key: pa- al- w40~
Jina key: jina_ a40
Mem0 key: m0- a40
E2B key: e2b_ h40
Browserbase key: bb_live_ bb_test_ w25
Apify token: apify_api_ a36
RunPod key: rpa_ a40
Modal token: as- ak- a22=~
Anyscale secret: esecret_ aph0_ a24
Runway key: key_ h128
Cartesia key: sk_car_ w20
Weights and Biases key: wandb_v1_ w60
Logfire token: pylf_v1_ s40
Vectara key: zut_ zqt_ zwt_ w30
Nomic key: nk- w40
Turbopuffer key: tpuf_ a30
Tinybird token: p.eyJ d60
Liveblocks key: sk_prod_ sk_dev_ w40
Val Town token: vtwn_ a20
Voiceflow key: VF.DM. d30
Salad key: salad_cloud_user_ a50
New Relic key: NRAK- NRII- NRJS- NRRA- NRAA- NRIQ- w19
Sentry token: sntrys_ sntryu_ sntrya_ b40
Grafana token: glsa_ glc_ b32
Grafana API key: eyJrIjoi b40
Honeycomb key: hcaik_ hcbik_ hcxik_ hcalk_ hcblk_ hcamk_ a50
Dynatrace token: dt0c01. dt0s01. dt0s02. dt0s03. dt0s16. dt0s08. d60
Axiom token: xaat- xapt- w36U
Honeybadger token: hbp_ hbu_ a30
PostHog key: phx_ phs_ a32
Rootly key: rootly_ h60
Adobe secret: p8e- w32
SettleMint token: sm_aat_ sm_pat_ sm_sat_ a16
Intra42 secret: s-s4t2ud- s-s4t2af- h64
Alchemy key: alcht_ a30
Extended private key: xprv yprv zprv tprv uprv vprv a100
Nostr key: nsec1 a58
Sui key: suiprivkey1 a50
Cardano key: ed25519_sk1 ed25519e_sk1 a50
Stellar seed: SA SB SC SD u54=~
Ory token: ory_pat_ ory_st_ ory_at_ ory_rt_ ory_ac_ w30
Authress key: authress_ scauth_ d60
hCaptcha secret: ES_ h32
Riot key: RGAPI- w36U
n8n key: n8n_api_ w40
Checkly key: cu_ h32=
Gitpod token: gitpod_pat_ w30
JSR token: jsrp_ jsrt_ w30
NetBird token: nbp_ a36
UpCloud token: ucat_ u26
Coralogix key: cxtp_ cxup_ a30
Healthchecks key: hcw_ hcr_ a28
FireHydrant token: fhb- h32
Aikido token: AIK_ w30
Amp token: sgamp_ w30
Devin key: apk_ w30~
Cursor token: crsr_ h64
Daytona key: dtn_ h64
Twelve Labs key: tlk_ u30
QStash key: sig_ a28~
Luma key: luma- w72
Bannerbear key: bb_pr_ bb_ma_ h30
Onfido token: api_live. api_sandbox. api_live_us. api_live_ca. d40
Sanity token: sk a140~
Mercado Pago token: APP_USR- w50#
Chapa key: CHASECK- CHASECK_TEST- a30
Cashfree secret: cfsk_ma_prod_ cfsk_ma_test_ w32
SumUp key: sup_sk_ a32
Windsurf key: sk-ws- w36
Svix token: testsk_ w30
`;

/** Tokens without a prefix, told by the vendor's name before them: `Name: word word form`, always of exactly that length. */
export const namedTable = `
Adafruit key: adafruit w32
Algolia key: algolia a32
Alibaba secret: alibaba aliyun a30
Asana secret: asana a32
Bitbucket secret: bitbucket w64
Bittrex key: bittrex h32
Cisco Meraki key: meraki h40
Coinbase token: coinbase w64
Confluent key: confluent u16
Datadog key: datadog dd_api_key h32
Datadog app key: datadog dd_app_key h40
Discord secret: discord w32
Drone token: drone a32
Etsy token: etsy a24
Facebook secret: facebook h32
Fastly token: fastly w32
Finnhub token: finnhub a20
Flickr key: flickr h32
FreshBooks token: freshbooks h64
Kraken key: kraken b88
KuCoin key: kucoin h24
LinkedIn secret: linkedin a16
Mattermost token: mattermost a26
MessageBird token: messagebird a25
New York Times key: nytimes a32
Okta token: okta w42
Plaid secret: plaid h30
RapidAPI key: rapidapi a50
Sendbird token: sendbird h40
Sumo Logic key: sumologic sumo a64
Travis token: travis a22
Twitter secret: twitter a45
Twitter key: twitter a25
Zendesk key: zendesk a40
Cohere key: cohere a40
Mistral key: mistral a32
Fastspring key: fastspring a22
Linode token: linode h64
Vultr key: vultr u36
Hetzner token: hetzner hcloud a64
ngrok token: ngrok s49
Cloudinary secret: cloudinary w27
PagerDuty key: pagerduty w20
Opsgenie key: opsgenie w36
Splunk token: splunk w36
Spotify secret: spotify h32
Unsplash key: unsplash w43
Deepgram key: deepgram h40
`;
