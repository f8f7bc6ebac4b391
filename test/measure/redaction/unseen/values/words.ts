/** Words of the BIP 39 list, for seed phrases and for passwords made of words. */
export const seedWords = (
  "abandon ability absent absorb abstract absurd academy acid acoustic acquire actress actual adapt adjust " +
  "advance aerobic afford again agent aisle alarm album alert alien alley almost alpha already amateur amazing " +
  "amount amused analyst anchor ancient angle ankle announce antenna antique anxiety apology appear apple april " +
  "arch arctic arena armor army arrest arrow artist artwork aspect assault asset athlete atom attack attend " +
  "auction august aunt autumn avocado awake axis bacon badge balance balcony bamboo banana banner barely bargain " +
  "barrel basket battle beach beauty become beef before behave believe bench benefit betray beyond bicycle bind " +
  "biology bitter blanket blast bleak blossom blouse boil bonus border bounce brave breeze bridge brisk broccoli " +
  "bronze brother bubble budget buffalo bullet burden burger cabbage cabin cactus camera canal cannon canoe canvas " +
  "canyon capable captain carbon cargo carpet casino castle casual catalog cattle caution cave ceiling celery " +
  "cement cereal chair chalk chapter charge chase cheese cherry chicken chimney choice cinnamon circle citizen " +
  "clarify claw clerk cliff clinic clock cloud clown coconut coffee collect color column comfort comic concert " +
  "copper coral cotton couch cousin coyote cradle crane crater cricket crowd crucial cruise crystal cupboard " +
  "curious curtain custom cycle damage danger daring daughter dawn debris decade decline defense denial dentist " +
  "desert destroy diamond dilemma dinner dinosaur dizzy dolphin donkey dragon drama dwarf dynamic eager eagle " +
  "earth easily echo ecology elbow elder electric elegant elephant elevator embark ember emerge enable endless " +
  "enforce enjoy enrich episode erosion escape estate evolve exhaust exotic expand eyebrow fabric faculty falcon " +
  "famous fantasy fatal fatigue feature february festival fiction field figure filter finger fiscal flavor flight " +
  "flower fluid forest fortune fossil fragile frozen furnace gadget galaxy garbage garlic gather gentle giraffe " +
  "glacier glimpse goddess gorilla grape gravity guitar hammer harvest hazard helmet hockey horizon hurdle iceberg " +
  "indoor injury insect island ivory jacket jaguar jungle kangaroo ketchup kidney kingdom ladder lantern laptop " +
  "lecture lemon leopard lizard lobster lunar magnet mammal mango marble meadow melody mercy midnight miracle " +
  "mosquito muffin mushroom mystery napkin nephew nuclear oak oblige ocean olive onion orbit orchard ostrich oyster " +
  "panther parrot peanut pelican pepper pigeon pioneer pistol planet plunge pottery prairie puzzle pyramid quantum " +
  "rabbit raccoon ranch raven rebel ribbon ritual rocket saddle salmon satoshi scissors scorpion shuffle siren " +
  "sketch skull slender sphere spider squirrel stadium stumble sunset tattoo thunder tiger tomato tornado tragic " +
  "tribe trumpet tunnel turtle umbrella unicorn vacuum velvet venture violin volcano voyage walnut whale whisper " +
  "winter wrestle yellow zebra zone"
).split(" ");

export const people = [
  "Anna",
  "Bogdan",
  "Chiara",
  "Diego",
  "Elif",
  "Farid",
  "Greta",
  "Hiro",
  "Inês",
  "Jonas",
  "Katya",
  "Liam",
  "Mei",
  "Nuno",
  "Ola",
  "Priya",
  "Quentin",
  "Rosa",
  "Sven",
  "Tomasz",
  "Uma",
  "Viktor",
  "Wen",
  "Yara",
  "Zoë",
];
export const accounts = [
  "admin",
  "root",
  "svc_report",
  "app",
  "deploy",
  "postgres",
  "sa",
  "readonly",
  "jenkins",
  "backup",
  "etl",
  "grafana",
  "api_user",
  "kafka",
  "monitor",
  "webmaster",
  "batch01",
  "ops",
  "scott",
  "maria.k",
];
export const services = [
  "billing",
  "checkout",
  "ledger",
  "inventory",
  "search",
  "mailer",
  "gateway",
  "reports",
  "catalog",
  "notifier",
  "identity",
  "scheduler",
  "orders",
  "shipping",
  "payments",
  "profile",
  "webhooks",
  "audit",
  "pricing",
  "crawler",
];
export const environments = [
  "prod",
  "staging",
  "dev",
  "qa",
  "uat",
  "sandbox",
  "preview",
  "test",
  "live",
  "eu-prod",
];
export const topDomains = [
  "internal",
  "corp.local",
  "example.net",
  "acme.io",
  "intra.example.com",
  "svc.cluster.local",
  "lan",
  "example.org",
];
export const directories = [
  "src/main",
  "app/controllers",
  "lib/core",
  "packages/api",
  "cmd/server",
  "internal/auth",
  "services/billing",
  "infra/modules",
  "web/components",
  "scripts",
];
export const extensions = [
  "ts",
  "py",
  "go",
  "java",
  "rb",
  "rs",
  "cs",
  "php",
  "kt",
  "yaml",
  "sql",
  "tsx",
  "swift",
  "scala",
];
