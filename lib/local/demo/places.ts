/** Names of people, organizations and repositories that every part of the demo shares. */
export type Organization = {
  readonly provider: string;
  readonly instance_id: string | null;
  readonly provider_organization_id: string;
};
const organization = (provider: string, id: string, instance: string | null = null): Organization => ({
  provider,
  instance_id: instance,
  provider_organization_id: id,
});

export const web = organization("github", "1001");
export const mobile = organization("github", "1002");
export const research = organization("gitlab", "1003");
export const kernel = organization("github", "7001", "north");
export const tools = organization("github", "7002", "north");
export const studio = organization("bitbucket", "3001");

export const instanceUrl = "https://git.northwind.example";
const hosts: Readonly<Record<string, string>> = {
  github: "https://github.com",
  gitlab: "https://gitlab.com",
  bitbucket: "https://bitbucket.org",
};

export type Person = { readonly id: string; readonly name: string };
const person = (id: string, name: string): Person => ({ id, name });

export const people = {
  ada: person("501", "ada"),
  ben: person("502", "ben"),
  chidi: person("503", "chidi"),
  dana: person("504", "dana"),
  emeka: person("505", "emeka"),
  farah: person("506", "farah"),
  goran: person("507", "goran"),
  hana: person("508", "hana"),
  ivo: person("509", "ivo"),
  petra: person("510", "petra"),
  runa: person("701", "runa"),
  sven: person("702", "sven"),
  tova: person("703", "tova"),
  ulf: person("704", "ulf"),
  lucia: person("901", "lucia"),
  marco: person("902", "marco"),
} as const;

export type Repository = {
  readonly of: Organization;
  readonly id: string;
  readonly fullName: string;
  readonly isPrivate: boolean;
  readonly url: string;
  readonly authors: readonly [Person, ...Person[]];
  /** Pull requests that finish on an ordinary working day, times ten. */
  readonly tenthsADay: number;
};

const repository = (
  of: Organization,
  id: string,
  fullName: string,
  isPrivate: boolean,
  authors: Repository["authors"],
  tenthsADay: number,
): Repository => {
  const host = of.instance_id === null ? hosts[of.provider] : instanceUrl;
  return { of, id, fullName, isPrivate, url: `${host}/${fullName}`, authors, tenthsADay };
};

const { ada, ben, chidi, emeka, farah, goran, hana, ivo, runa, sven, tova, ulf, lucia, marco } = people;
export const storefront = repository(
  web,
  "9001",
  "acme-web/storefront",
  true,
  [ben, farah, goran, chidi, ada],
  9,
);
export const checkout = repository(web, "9002", "acme-web/checkout", true, [chidi, farah, goran], 6);
export const designSystem = repository(web, "9003", "acme-web/design-system", false, [ben, farah], 3);
export const ios = repository(mobile, "9101", "acme-mobile/ios", true, [hana, ben], 4);
export const android = repository(mobile, "9102", "acme-mobile/android", true, [ivo, hana], 4);
const ranking = repository(research, "9201", "acme-research/ranking", true, [emeka, ada], 1);
export const scheduler = repository(kernel, "9001", "northwind-kernel/scheduler", true, [runa, sven, ulf], 4);
export const drivers = repository(kernel, "9002", "northwind-kernel/drivers", true, [sven, ulf], 3);
export const build = repository(tools, "9301", "northwind-tools/build", true, [tova, runa], 2);
export const portfolio = repository(studio, "9401", "studio-lumen/portfolio", false, [lucia, marco], 1);

export const repositories: readonly Repository[] = [
  storefront,
  checkout,
  designSystem,
  ios,
  android,
  ranking,
  scheduler,
  drivers,
  build,
  portfolio,
];
