/** Keys that look like a hash, an id or nothing: what stands around them tells them, and what comes close stays. */
export const vendorKeys: Record<string, readonly string[]> = {
  "redaction recognizes a key by any owner in its name, except a search key": [
    '{"infuraKey": "«secret|{hex:32}»"}',
    "HAPIKEY=«api_key|{uuid}»",
    "ALGOLIA_SEARCH_KEY={hex:32}",
    'recordKey: "{uuid}"',
    "AGORA_APP_ID={hex:32}",
    "certificate: {hex:32}",
    "APPID={hex:32}",
  ],
  "redaction recognizes an id or a short value as a key in an environment variable": [
    "ACME_INGESTION_KEY=«api_key|{uuid}»",
    "CACHE_KEY={uuid}",
    "IDEMPOTENCY_KEY={uuid}",
    "ACME_KEY=release",
  ],
  "redaction recognizes the shares of a key below a line that names them": [
    "use these shares:\n«secret|{hex:66}»\n«secret|{hex:66}»",
  ],
  "redaction recognizes a key by the vendor's name above it or on its line": ["[cache]\nkey = {hex:32}"],
  "redaction recognizes a key in a sentence by the vendor's name and the words around it": [
    "Our Codecov report for commit {hex:40} is late.",
    "Heroku app {uuid} was scaled.",
    "Rotate the key of Sentry; see commit {hex:40}.",
    "S3 key {hex:40}/report.pdf is old.",
  ],
  "redaction recognizes a key in the path of a URL if the host expects it there": [
    "https://eth-mainnet.g.alchemy.com/v2/«url_token|{hex:32}»",
    "wss://mainnet.infura.io/ws/v3/«url_token|{hex:32}»",
    "https://logs-01.loggly.com/inputs/«url_token|{uuid}»/tag/http/",
    "https://maker.ifttt.com/trigger/done/with/key/«url_token|{hex:43}»",
    "https://api.example.com/v2/orders/{uuid}",
    "https://mainnet.infura.io/v3/YOUR_API_KEY",
  ],
  "redaction recognizes a key in a header whose name announces a key": [
    "curl -H 'X-Acme-Key: «api_key|{uuid}»' https://api.example.com",
    "curl -H 'X-Acme-Key: 20240131' https://api.example.com",
    "X-Honeycomb-Team: «api_key|{hex:32}»",
    'curl -H "X-Request-Id: {uuid}" https://api.example.com',
    'curl -H "Idempotency-Key: {uuid}" https://api.example.com',
  ],
  "redaction recognizes a key by a form that nothing else has": [
    "{hex:8}:{hex:8}",
    "service:acme:production",
  ],
  "redaction removes the whole key, even if it has a slash or is long": [
    "the Acme token was «token|{hex:256}».",
  ],
  "redaction recognizes a random key without digits, but not an identifier": [
    'TOMTOM_API_KEY = "«api_key|{alpha:32}»"',
    'apiKey = "currentUserAccessKeyProvider"',
  ],
  "a key stays as the argument of an option that takes other values": [
    "docker build -t {hex:40} .",
    "gpg --recv-keys 3AA5C34371567BD2",
    "git config user.signingkey 3AA5C34371567BD2",
    "acme config set region eu-central-1",
    "the publishable key pk_live_{alnum:24} is public",
    "acme login registry.example.com",
  ],
  "redaction recognizes a key by the name of its header in code, configuration, tables and JSON": [
    'proxy_set_header Authorization "«authorization_header|{hex:32}»";',
    "| Authorization | App «authorization_header|{hex:32}» |",
    '{"name": "Authorization", "value": "Key «authorization_header|{hex:32}»"}',
    "X-Acme-Consumer: «api_key|{alnum:32}»",
    'request.setValue("{hex:40}", forHTTPHeaderField: "X-Request-Id")',
    "| Authorization | Bearer |",
  ],
  "redaction leaves the argument of a constructor or an init call, unless its name says that it is a key": [
    'new Acme("{hex:40}")',
    'new ObjectId("{hex:24}")',
    'new CommitRef("{hex:40}")',
    'amplitude.init("{hex:32}")',
    "bot.run(os.environ['DISCORD_TOKEN'])",
  ],
  "redaction recognizes a key by the line before it, which names the key": [
    "Update the release.\nOld value: {hex:40}",
  ],
  "redaction recognizes a license key in capitals, but not the id of a PGP key": [
    "AVATAX_LICENSE_KEY=«api_key|0D10C4EBFDA3C2E8»",
    "[avalara]\nlicenseKey = «api_key|92C93CFB2D0EA6F6»",
    "ENV GPG_KEY 7169605F62C751356D054A26A821E680E5FA6305",
    "signing key: 3AA5C34371567BD2",
  ],
  "redaction recognizes a key that has several parts": [
    "service:acme-api:checkout-and-payments-team",
    "the image is acme:production.{hex:40}",
    "Note That Data From This Page",
    "DE89 3704 0044 0532 0130 0012",
  ],
  "redaction does not take the next setting as the key after a placeholder": [
    "acme_client_secret=********\ntimeout=30",
    "helm upgrade api --set env.ACME_SECRET_KEY=YOUR_ACME_SECRET_KEY --set replicas=2",
    '"GET /v1/items?api_key=YOUR_DB_PASSWORD HTTP/1.1" 200 512 "-" "okhttp/4.12"',
  ],
};
